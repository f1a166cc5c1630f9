import type { People, Person } from "./app/session";
import { text } from "./messages";
import styles from "./SignIn.module.css";
import { Button } from "./ui/Button";
import { Icon, Mark } from "./ui/Icon";
import { Problem } from "./ui/Problem";
import { Skeleton } from "./ui/Skeleton";

interface SignInProps {
  people: People | null;
  failed: boolean;
  onAgain: () => void;
  onChoose: (as: string) => void;
}

/** Choose whom to be on this machine. */
export function SignIn({ people, failed, onAgain, onChoose }: SignInProps) {
  return (
    <main className={styles.page}>
      <div className={styles.sheet}>
        <p className={styles.brand}>
          <Mark size={32} /> {text.product}
        </p>
        <h1>{text.signIn.title}</h1>
        <p className={styles.lead}>{text.signIn.lead}</p>
        {failed && (
          <Problem
            title={text.signIn.unavailable}
            failure={{ code: "", message: text.signIn.unavailableHint, hint: "" }}
          >
            <Button icon="again" onClick={onAgain}>
              {text.signIn.again}
            </Button>
          </Problem>
        )}
        {!people && !failed && <Skeleton widths={[100, 100]} label={text.signIn.loading} />}
        <ul className={styles.people}>
          {people?.people.map((person) => (
            <li key={person.as}>
              <PersonButton person={person} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
}

function PersonButton({ person, onChoose }: { person: Person; onChoose: (as: string) => void }) {
  return (
    <button type="button" className={styles.person} onClick={() => onChoose(person.as)}>
      <span className={styles.tick}>
        <Icon name="check" size={16} />
      </span>
      <span>
        <span className={styles.name}>
          <span className="visually-hidden">{text.signIn.start}</span> {person.name}
        </span>
        <span className={styles.what}>
          {person.title}. {text.signIn[person.mode]}.
        </span>
      </span>
      <Icon name="chevron" />
    </button>
  );
}
