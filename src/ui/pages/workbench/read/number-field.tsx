import { useId, useState } from 'preact/hooks';

interface FieldProps<Value> {
  readonly label: string;
  readonly value: Value;
  onSet(value: Value): void;
}

interface NumberFieldProps extends FieldProps<number | null> {
  readonly min: number;
  readonly max?: number;
  readonly step?: number | 'any';
  /** Shown in an empty field, whose value is null. */
  readonly whenEmpty?: string;
}

/** A number that is taken when the user has finished typing it. */
export function NumberField(props: NumberFieldProps) {
  const { label, value, min, max, step = 1, whenEmpty = '', onSet } = props;
  const id = useId();
  const typed = useTyped(value === null ? '' : String(value));
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        inputMode={step === 1 ? 'numeric' : 'decimal'}
        {...{ min, max, step }}
        placeholder={whenEmpty}
        value={typed.value}
        onInput={typed.onInput}
        onChange={({ currentTarget }) => {
          const { valueAsNumber, validity } = currentTarget;
          if (!validity.valid) return void currentTarget.reportValidity();
          typed.done();
          onSet(Number.isNaN(valueAsNumber) ? null : valueAsNumber);
        }}
      />
    </span>
  );
}

interface TextFieldProps extends FieldProps<string> {
  readonly placeholder: string;
  readonly pattern: string;
}

/** A word in capitals, such as a currency. */
export function TextField({ label, value, placeholder, pattern, onSet }: TextFieldProps) {
  const id = useId();
  const typed = useTyped(value);
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        {...{ placeholder, pattern }}
        value={typed.value}
        onInput={typed.onInput}
        onChange={({ currentTarget }) => {
          if (!currentTarget.validity.valid) return void currentTarget.reportValidity();
          typed.done();
          const text = currentTarget.value.trim().toUpperCase();
          if (text !== '') onSet(text);
        }}
      />
    </span>
  );
}

/** What stands in a field: the page may be drawn again while somebody types. */
function useTyped(kept: string) {
  const [typed, setTyped] = useState<string>();
  return {
    value: typed ?? kept,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      setTyped(currentTarget.value),
    /** The user has finished; the field shows what is kept. */
    done: () => setTyped(undefined),
  };
}
