import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChangeChoice } from '../use-choice.ts';

/** A pause in typing after which the table is searched. */
const pauseMs = 150;

interface SearchBoxProps {
  readonly search: string;
  readonly change: ChangeChoice;
  /** Why it cannot be searched. */
  readonly isDisabled: boolean;
  /** The table takes the keyboard. */
  readonly onLeave: () => void;
}

/** Searches as the user types. `/` comes here from anywhere in the view. */
export function SearchBox({ search, change, isDisabled, onLeave }: SearchBoxProps) {
  const [text, setText] = useState(search);
  const box = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(search), [search]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      box.current?.focus();
      box.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const put = (next: string, waitMs: number) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change({ search: next.trim() }, { isStep: false }), waitMs);
  };
  return (
    <input
      ref={box}
      type="search"
      aria-label="Search the rows"
      aria-keyshortcuts="/"
      placeholder="Search   /"
      value={text}
      disabled={isDisabled}
      onInput={({ currentTarget }) => put(currentTarget.value, pauseMs)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') put('', 0);
        if (event.key === 'Enter') put(text, 0);
        if (event.key === 'ArrowDown' || event.key === 'Enter') {
          event.preventDefault();
          onLeave();
        }
      }}
    />
  );
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
  );
}
