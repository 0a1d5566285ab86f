import { useEffect, useId, useRef, type ReactNode } from 'react';

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}

/** A native modal dialog. It traps the focus, and Escape closes it. */
export function Dialog({ title, onClose, children, wide = false }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      className={wide ? 'wide' : undefined}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={name}>{title}</h2>
      {children}
    </dialog>
  );
}
