import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asSentence } from '../../../core/runtime/printable.ts';
import type { ApiProblem } from './api.ts';
import { InlineCode } from './text.tsx';

export function Problem({ of: problem }: { of: ApiProblem | undefined }) {
  if (!problem) return null;
  return (
    <div class="notice failed" role="alert">
      <p>
        <b>
          <InlineCode text={asSentence(problem.message)} />
        </b>
      </p>
      <p>
        <InlineCode text={problem.remedy} />
      </p>
    </div>
  );
}

interface FieldProps<Value> {
  type?: 'number';
  label: string;
  value: Value;
  onSet(value: Value): void;
  placeholder?: string;
  pattern?: string;
  min?: number;
  max?: number;
  step?: 'any';
}

/** A redraw keeps the typed text until the user has finished. */
export function TextField({ label, value, onSet, ...input }: FieldProps<string>) {
  const [typed, setTyped] = useState<string>();
  return (
    <label class="field">
      {label}
      <input
        {...({ type: 'text', ...input } as { type: 'text' })}
        value={typed ?? value}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => {
          if (!currentTarget.reportValidity()) return;
          setTyped(undefined);
          onSet(currentTarget.value.trim());
        }}
      />
    </label>
  );
}

export function NumberField({ value, onSet, ...field }: FieldProps<number | null>) {
  return (
    <TextField
      type="number"
      {...field}
      value={value === null ? '' : String(value)}
      onSet={(text) => onSet(text === '' ? null : Number(text))}
    />
  );
}

export function Select(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, words: string])[];
  onSet(value: string): void;
}) {
  const { label, value, options, onSet } = props;
  return (
    <label class="field">
      {label}
      <select value={value} onChange={({ currentTarget }) => onSet(currentTarget.value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Button(props: ComponentProps<'button'>) {
  return <button type="button" {...props} />;
}

/** `onSend` gets the text of the first field. */
export function Form({
  onSend,
  ...form
}: {
  class: string;
  'aria-label'?: string;
  onSend(text: string): void;
  children: ComponentChildren;
}) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        const [text = ''] = new FormData(event.currentTarget).values();
        onSend(String(text));
      }}
    />
  );
}

export function Check({
  onSet,
  children,
  title,
  ...input
}: {
  type?: 'radio';
  name?: string;
  title?: string;
  checked: boolean;
  disabled?: boolean;
  onSet(isChecked: boolean): void;
  children: ComponentChildren;
}) {
  return (
    <label class="check" title={title}>
      <input
        {...({ type: 'checkbox', ...input } as { type: 'checkbox' })}
        onChange={({ currentTarget }) => onSet(currentTarget.checked)}
      />
      {children}
    </label>
  );
}

export function Sheet(props: { title: string; onClose(): void; children: ComponentChildren }) {
  const { title, onClose, children } = props;
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    sheet.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={sheet} class="sheet" aria-label={title} closedby="any" onClose={onClose}>
      <div class="drawer-bar row">
        <h2>{title}</h2>
        <Button onClick={onClose} aria-label="Close">
          ×
        </Button>
      </div>
      {children}
    </dialog>
  );
}
