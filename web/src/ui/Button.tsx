import type { ButtonHTMLAttributes, Ref } from "react";
import styles from "./Button.module.css";
import { Icon, type IconName } from "./Icon";

type Native = ButtonHTMLAttributes<HTMLButtonElement> & { ref?: Ref<HTMLButtonElement> };

interface ButtonProps extends Native {
  kind?: "primary" | "plain" | "danger";
  icon?: IconName;
}

export function Button({ kind = "plain", icon, children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`${styles.button ?? ""} ${styles[kind] ?? ""}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Native {
  icon: IconName;
  label: string;
  size?: number;
}

export function IconButton({ icon, label, size = 18, ...rest }: IconButtonProps) {
  return (
    <button type="button" className={styles.icon} aria-label={label} title={label} {...rest}>
      <Icon name={icon} size={size} />
    </button>
  );
}
