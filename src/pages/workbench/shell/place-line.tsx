import type { Place } from '../../../workbench/api/place.ts';
import { count } from '../../parts/text/format.ts';

/** Always in sight: where we are, who answers, how fast, and what was spent. */
export function PlaceLine({ place }: { readonly place: Place }) {
  const { folder, service, rate, spent } = place;
  return (
    <div class={service.isSample ? 'place place-sample' : 'place'}>
      {service.isSample && (
        <p role="note">
          <b>Sample data: free, offline, none of your companies.</b>
        </p>
      )}
      <dl>
        <Fact name="Folder" value={folder} />
        {!service.isSample && <Fact name="Service" value={service.host ?? ''} />}
        {!service.isSample && <Fact name="Key" value={service.hasKey ? 'found' : 'missing'} />}
        <Fact name="Rate" value={rate === 'none' ? 'no limit' : `${count(rate)} a second`} />
        {!service.isSample && <Fact name="Today" value={spendOf(spent.today)} />}
        {!service.isSample && <Fact name="This month" value={spendOf(spent.month)} />}
      </dl>
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={value}>{value}</dd>
    </div>
  );
}

function spendOf({ money, requests }: Place['spent']['today']): string {
  const calls = `${count(requests)} requests`;
  const sums = money.map(({ amount, currency }) => `${currency} ${amount.toFixed(2)}`);
  return [...sums, calls].join(', ');
}
