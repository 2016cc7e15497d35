import type { JobPrice, ListRead } from '../../../../workbench/api/list-read.ts';
import { NumberField } from '../fields/number-field.tsx';
import { useTyped } from '../fields/use-typed.ts';
import type { Choose } from '../use-reading.ts';
import { PeopleChoice } from './people-choice.tsx';

interface TermsProps {
  readonly read: ListRead;
  readonly choose: Choose;
}

/** What limits and prices a run, and which people are asked for. */
export function Terms({ read, choose }: TermsProps) {
  const { settings, service } = read;
  return (
    <form
      class="terms"
      aria-label="Budget, price and people"
      onSubmit={(event) => event.preventDefault()}
    >
      <NumberField
        label="Budget, in requests"
        value={settings.perStart}
        min={0}
        whenEmpty="none"
        onSet={(perStart) => choose({ perStart })}
      />
      {!service.isSample && (
        <PriceFields price={settings.price} onSet={(price) => choose({ price })} />
      )}
      <PeopleChoice read={read} choose={choose} />
    </form>
  );
}

const noPrice: JobPrice = { company: 0, people: 0, currency: 'AUD' };

interface PriceFieldsProps {
  readonly price: JobPrice | null;
  onSet(price: JobPrice | null): void;
}

/** A job without a price is told in calls alone. */
function PriceFields({ price, onSet }: PriceFieldsProps) {
  const known = price ?? noPrice;
  const currencyTyped = useTyped(price?.currency ?? '');
  return (
    <fieldset class="price-fields">
      <legend>What the service charges</legend>
      <NumberField
        label="a company"
        value={price?.company ?? null}
        min={0}
        max={1_000}
        step="any"
        whenEmpty="not set"
        onSet={(company) => onSet(company === null ? null : { ...known, company })}
      />
      <NumberField
        label="a page of people"
        value={price?.people ?? null}
        min={0}
        max={1_000}
        step="any"
        whenEmpty="not set"
        onSet={(people) => onSet({ ...known, people: people ?? 0 })}
      />
      <label class="field">
        currency
        <input
          type="text"
          maxLength={3}
          pattern="[A-Z]{3}"
          placeholder="AUD"
          value={currencyTyped.value}
          onInput={currencyTyped.onInput}
          onChange={({ currentTarget }) => {
            currencyTyped.done();
            const currency = currentTarget.value.trim().toUpperCase();
            if (currency !== '') onSet({ ...known, currency });
          }}
        />
      </label>
    </fieldset>
  );
}
