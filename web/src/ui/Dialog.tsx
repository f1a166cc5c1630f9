import { useLayoutEffect, useRef, type ReactNode } from "react";
import { Button } from "./Button";
import styles from "./Dialog.module.css";

interface ModalProps {
  label: string;
  className?: string | undefined;
  onClose: () => void;
  children: ReactNode;
}

/** The browser's own modal dialog: it keeps the focus, and gives it back. */
export function Modal({ label, className = "", onClose, children }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // A layout effect: it closes, and gives the focus back, before the dialog leaves the page.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Esc does the same
    <dialog
      ref={ref}
      aria-label={label}
      className={className}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  body: string;
  confirm: string;
  cancel: string;
  error?: string | undefined;
  onConfirm: () => void;
  onCancel: () => void;
}

export function Confirm({
  title,
  body,
  confirm,
  cancel,
  error,
  onConfirm,
  onCancel,
}: ConfirmProps) {
  return (
    <Modal label={title} className={styles.confirm} onClose={onCancel}>
      <h2>{title}</h2>
      <p>{body}</p>
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      <div className={styles.buttons}>
        <Button onClick={onCancel}>{cancel}</Button>
        <Button kind="danger" onClick={onConfirm}>
          {confirm}
        </Button>
      </div>
    </Modal>
  );
}
