import type { ReportData } from '../../../report/data/report-data.ts';
import { StackedBar } from '../../parts/charts/stacked-bar.tsx';
import { count, percent } from '../../parts/text/format.ts';
import { statusesOf, statusNames } from '../../parts/text/labels.ts';
import { Tile } from '../../parts/tile.tsx';
import { Headline, MatchedSoFar } from './headline.tsx';

/** The key figures of a run: rows, companies and people, calls made and saved, time. */
export function Summary({ data }: { readonly data: ReportData }) {
  const { rows } = data;
  const parts = statusesOf([rows])
    .map((status) => ({ status, rows: rows[status] }))
    .filter((part) => part.rows > 0 || part.status === 'matched');
  return (
    <section class="summary card" aria-labelledby="summary-title">
      <h2 id="summary-title">
        <Headline data={data} />
      </h2>
      <MatchedSoFar data={data} />
      <StackedBar parts={parts} whole={rows.total} />
      <ul class="legend">
        {parts.map(({ status, rows: some }) => (
          <li key={status}>
            <span class={`dot fill-${status}`} aria-hidden="true" />
            {statusNames[status]} <b>{count(some)}</b> <small>{percent(some, rows.total)}</small>
          </li>
        ))}
      </ul>
      <dl class="tiles">
        {tilesOf(data).map(({ name, value, about }) => (
          <Tile key={name} name={name} value={value} about={about} />
        ))}
      </dl>
    </section>
  );
}

interface TileFacts {
  readonly name: string;
  readonly value: string;
  readonly about?: string | undefined;
}

function tilesOf({ run, rows, people, calls, paid }: ReportData): TileFacts[] {
  return [
    { name: 'Rows in', value: count(rows.total) },
    { name: 'Rows matched', value: count(rows.matched) },
    ...(run.hasPeople ? [{ name: 'People out', value: count(people) }] : []),
    {
      name: 'Calls made',
      value: count(calls.made),
      about: calls.failed > 0 ? `${count(calls.failed)} without an answer` : undefined,
    },
    ...(paid
      ? [{ name: 'Paid', value: paid.money, about: `for ${count(paid.requests)} requests` }]
      : []),
    { name: 'Calls saved', value: count(calls.saved), about: savedBy(calls) },
    { name: 'Time', value: run.took },
  ];
}

function savedBy({ shared, reused, joined }: ReportData['calls']): string | undefined {
  const ways = [
    shared > 0 ? `${count(shared)} shared by rows` : '',
    reused > 0 ? `${count(reused)} in the ledger` : '',
    joined > 0 ? `${count(joined)} under another name` : '',
  ].filter(Boolean);
  return ways.length === 0 ? undefined : ways.join(', ');
}
