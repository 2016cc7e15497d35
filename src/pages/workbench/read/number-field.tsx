import { useId } from 'preact/hooks';

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
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        inputMode={step === 1 ? 'numeric' : 'decimal'}
        {...{ min, max, step }}
        placeholder={whenEmpty}
        value={value ?? ''}
        onChange={({ currentTarget }) => {
          const { valueAsNumber, validity } = currentTarget;
          if (!validity.valid) currentTarget.reportValidity();
          else onSet(Number.isNaN(valueAsNumber) ? null : valueAsNumber);
        }}
      />
    </span>
  );
}
