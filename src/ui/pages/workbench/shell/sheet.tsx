import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface SheetProps {
  readonly title: string;
  readonly side?: 'left' | 'right' | 'whole';
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A drawer over the page that holds the keyboard until it is closed: by Escape, its button or a click beside it. */
export function Sheet({ title, side = 'right', onClose, children }: SheetProps) {
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    sheet.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={sheet}
      class={`sheet sheet-${side}`}
      aria-label={title}
      closedby="any"
      onClose={onClose}
    >
      <div class="sheet-body">{children}</div>
    </dialog>
  );
}

/** The first line of a sheet. */
export function SheetHead({ title, onClose }: Pick<SheetProps, 'title' | 'onClose'>) {
  return (
    <div class="drawer-bar">
      <h2>{title}</h2>
      <button type="button" onClick={onClose} aria-label="Close">
        ×
      </button>
    </div>
  );
}
