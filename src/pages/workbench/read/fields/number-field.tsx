import { useId } from 'preact/hooks';
import { useTyped } from './use-typed.ts';

interface NumberFieldProps {
  readonly label: string;
  readonly value: number | null;
  readonly min: number;
  readonly max?: number;
  readonly step?: number | 'any';
  /** Shown in an empty field. */
  readonly whenEmpty?: string;
  /** Null when the field was emptied. */
  onSet(value: number | null): void;
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
