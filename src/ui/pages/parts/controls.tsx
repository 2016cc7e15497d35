import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatMoney, readAmount } from '../../../core/values/money.ts';
import { asSentence } from '../../../core/values/printable.ts';
import type { ApiProblem } from './api.ts';
import { InlineCode } from './text.tsx';

/** `isExpected`: a limit that the user set has done its work, which is not an error. */
export function Problem(props: { of: ApiProblem | undefined; isExpected?: boolean }) {
  const { of: problem, isExpected = false } = props;
  if (!problem) return null;
  return (
    <div
      class={isExpected ? 'notice accent' : 'notice failed'}
      role={isExpected ? 'status' : 'alert'}
    >
      <p>
        <b>
          <InlineCode text={asSentence(problem.message)} />
        </b>
      </p>
      <p>
        <InlineCode
          text={
            location.hash.startsWith('#/settings')
              ? problem.remedy.replaceAll(' in Settings', '')
              : problem.remedy
          }
        />
      </p>
    </div>
  );
}

interface FieldProps<Value> {
  label: string;
  value: Value;
  onSet(value: Value): void;
  placeholder?: string;
  pattern?: string;
  inputMode?: 'decimal' | 'numeric';
  /** What is wrong with a typed text. */
  problemOf?(text: string): string;
  /** How a typed text is understood. */
  meaningOf?(text: string): string;
}

/** A redraw keeps the typed text until the user has finished. */
export function TextField(props: FieldProps<string>) {
  const { label, value, onSet, problemOf, meaningOf, ...input } = props;
  const [typed, setTyped] = useState<string>();
  const meaning = meaningOf?.((typed ?? value).trim());
  return (
    <label class="field">
      <span>
        {label}
        {meaning && <small role="status"> {meaning}</small>}
      </span>
      <input
        type="text"
        {...input}
        value={typed ?? value}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          currentTarget.setCustomValidity(problemOf?.(currentTarget.value.trim()) ?? '');
        }}
        onChange={({ currentTarget }) => {
          if (!currentTarget.reportValidity()) return;
          setTyped(undefined);
          onSet(currentTarget.value.trim());
        }}
      />
    </label>
  );
}

interface NumberFieldProps extends Omit<FieldProps<number | null>, 'problemOf' | 'meaningOf'> {
  min?: number;
  max?: number;
  /** Shows how the amount is understood, with this before it. */
  currency?: string;
  isDecimal?: boolean;
}

/** Not of type number, which reads `0,12` as 12 in some browsers. */
export function NumberField(props: NumberFieldProps) {
  const { value, onSet, min = 0, max = 1e12, currency, isDecimal = false, ...field } = props;
  const read = (text: string) => {
    const number = readAmount(text);
    const isRight = number !== undefined && number >= min && number <= max;
    return isRight && (isDecimal || Number.isInteger(number)) ? number : undefined;
  };
  const expected = isDecimal ? 'a number such as 1234 or 0.12' : 'a whole number such as 1234';
  return (
    <TextField
      {...field}
      inputMode={isDecimal ? 'decimal' : 'numeric'}
      value={value === null ? '' : String(value)}
      problemOf={(text) =>
        text === '' || read(text) !== undefined ? '' : `Write ${expected}, from ${min} on.`
      }
      meaningOf={(text) => {
        const number = read(text);
        if (number === undefined) return '';
        if (currency) return formatMoney(currency, number);
        return text === String(number) ? '' : `read as ${number}`;
      }}
      onSet={(text) => onSet(read(text) ?? null)}
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
