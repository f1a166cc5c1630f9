import { useEffect, useState } from "react";
import { isImage } from "../app/attachable";
import { useController } from "../app/use";
import { text } from "../messages";
import { sizeOf } from "../panel/DocumentRow";
import type { Attachment } from "../state/pending";
import { Icon } from "../ui/Icon";
import styles from "./Files.module.css";

interface FilesProps {
  conversationId: string;
  messageId: string;
  files: readonly Attachment[];
}

/** The files of a message: images as they look, others by name; each can be opened. */
export function SentFiles({ conversationId, messageId, files }: FilesProps) {
  return (
    <ul className={styles.sent} aria-label={text.attachments.label}>
      {files.map((file) => (
        <li key={file.key}>
          <SentFile conversationId={conversationId} messageId={messageId} file={file} />
        </li>
      ))}
    </ul>
  );
}

function SentFile({
  conversationId,
  messageId,
  file,
}: Omit<FilesProps, "files"> & { file: Attachment }) {
  const { address, gone, ask } = useAddress(conversationId, messageId, file);
  const shown = isImage(file.mimeType) && address;
  const content = shown ? (
    <img className={styles.picture} src={address} alt={file.filename} />
  ) : (
    <>
      <Icon name={isImage(file.mimeType) ? "image" : "paper"} />
      <span className={styles.text}>
        <span className="visually-hidden">{text.attachments.open}</span>
        <span className={styles.name}>{file.filename}</span>
        <span className={styles.about}>
          {gone ? text.attachments.gone : sizeOf(file.sizeBytes)}
        </span>
      </span>
    </>
  );
  if (!address) {
    return (
      <button type="button" className={styles.open} onClick={ask}>
        {content}
      </button>
    );
  }
  return (
    <a
      className={shown ? styles.look : styles.open}
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      download={file.filename}
    >
      {content}
    </a>
  );
}

/** Where a file can be seen. An image is asked for at once, another file once somebody wants it. */
function useAddress(conversationId: string, messageId: string, file: Attachment) {
  const { files } = useController();
  const [address, setAddress] = useState<string>();
  const [gone, setGone] = useState(false);
  const { key, mimeType } = file;
  useEffect(() => {
    if (!isImage(mimeType)) return undefined;
    let here = true;
    files.addressOf(conversationId, messageId, key).then(
      (found) => here && setAddress(found),
      () => here && setGone(true),
    );
    return () => {
      here = false;
    };
  }, [files, conversationId, messageId, key, mimeType]);
  const ask = () => {
    files.addressOf(conversationId, messageId, key).then(
      (found) => void window.open(found, "_blank", "noopener"),
      () => setGone(true),
    );
  };
  return { address, gone, ask };
}
