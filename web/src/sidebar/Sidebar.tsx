import { addressOf } from "../app/route";
import { useApp } from "../app/use";
import { text } from "../messages";
import { IconButton } from "../ui/Button";
import { Icon, Mark } from "../ui/Icon";
import { ConversationList } from "./ConversationList";
import { Search } from "./Search";
import styles from "./Sidebar.module.css";

interface SidebarProps {
  current: string | null;
  onChosen: () => void;
  onSignOut: () => void;
  onClose?: () => void;
}

export function Sidebar({ current, onChosen, onSignOut, onClose }: SidebarProps) {
  return (
    <nav className={styles.sidebar} aria-label={text.list.label}>
      <div className={styles.top}>
        <p className={styles.brand}>
          <Mark /> {text.product}
        </p>
        {onClose && <IconButton icon="close" label={text.list.close} onClick={onClose} />}
      </div>
      <a className={styles.fresh} href={addressOf(null)} onClick={onChosen}>
        <Icon name="plus" /> {text.list.fresh}
      </a>
      <Search />
      <ConversationList current={current} onChosen={onChosen} />
      <Account onSignOut={onSignOut} />
    </nav>
  );
}

function Account({ onSignOut }: { onSignOut: () => void }) {
  const me = useApp((state) => state.me);
  const what =
    me?.mode === "recruiter"
      ? text.account.recruiter(me.user?.companyName ?? "")
      : text.account[me?.mode ?? "job_seeker"];
  return (
    <section className={styles.account} aria-label={text.account.label}>
      <span className={styles.initials} aria-hidden="true">
        {initials(me?.user?.name ?? "")}
      </span>
      <span className={styles.who}>
        <span>{me ? (me.user?.name ?? text.account.visitor) : "…"}</span>
        <span className={styles.what}>{me ? what : ""}</span>
      </span>
      <IconButton icon="leave" label={text.account.signOut} onClick={onSignOut} />
    </section>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return [words.at(0), words.length > 1 ? words.at(-1) : ""]
    .map((word) => Array.from(word ?? "")[0] ?? "")
    .join("");
}
