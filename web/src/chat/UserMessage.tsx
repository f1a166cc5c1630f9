import { useController } from "../app/use";
import { text } from "../messages";
import type { Edit, UserItem } from "../state/thread";
import { IconButton } from "../ui/Button";
import { MessageEditor } from "./MessageEditor";
import { SentFiles } from "./SentFiles";
import styles from "./UserMessage.module.css";

interface MessageProps {
  item: UserItem;
  conversationId: string | null;
  edit: Edit | undefined;
  busy: boolean;
}

/** What a person said; it can be said otherwise. */
export function UserMessage({ item, conversationId, edit, busy }: MessageProps) {
  const { chat } = useController();
  const { id: messageId, text: words, attachments } = item;
  if (conversationId && edit?.messageId === messageId) {
    return <MessageEditor conversationId={conversationId} edit={edit} busy={busy} />;
  }
  return (
    <div className={styles.said}>
      <article className={styles.user} aria-label={text.thread.you}>
        {conversationId && attachments.length > 0 && (
          <SentFiles conversationId={conversationId} messageId={messageId} files={attachments} />
        )}
        {words && <p>{words}</p>}
      </article>
      {conversationId && (
        <span className={styles.actions}>
          <IconButton
            icon="pencil"
            size={16}
            label={text.thread.edit}
            disabled={busy}
            onClick={() => chat.edit(conversationId, { messageId, text: words, attachments })}
          />
        </span>
      )}
    </div>
  );
}
