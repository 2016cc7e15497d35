import type { WholeRow } from '../../../../workbench/api/whole-row.ts';
import { moment } from '../../../parts/text/format.ts';
import { countryName, statusNames } from '../../../parts/text/labels.ts';
import { Flags } from '../table/status-mark.tsx';

/** How the row ended, and what stands out about it. */
export function RowSummary({ row: whole }: { readonly row: WholeRow }) {
  const { row, country, fetchedAt, changedAt } = whole;
  return (
    <div class="row-summary">
      <p class="row-name">{nameOf(whole)}</p>
      <p class="row-marks">
        <span class={`tag tag-${row.status}`}>{statusNames[row.status]}</span>
        <Flags row={row} />
      </p>
      {row.reasonText && <p>{row.reasonText}</p>}
      {row.isMismatch && (
        <p class="stands-out stands-out-bad">
          The service has answered with a company that has another identifier than was asked for.
        </p>
      )}
      {row.isStale && (
        <p class="stands-out">
          An older answer is kept, since a newer one could not be fetched
          {fetchedAt && `: it is of ${moment(Date.parse(fetchedAt))}`}.
        </p>
      )}
      <dl class="fields">
        <Fact name="Key" value={row.key} />
        <Fact name="Match" value={row.match && matchWords[row.match]} />
        <Fact name="Country" value={country && countryName(country)} />
        <Fact name="Fetched" value={fetchedAt && moment(Date.parse(fetchedAt))} />
        <Fact name="Last changed" value={changedAt && moment(Date.parse(changedAt))} />
      </dl>
    </div>
  );
}

/** The company, or what the user knows the row by: the first of its cells that holds something. */
function nameOf({ company, list, row }: WholeRow): string {
  if (company) return company.name ?? 'A company without a name';
  return list.find(({ cell }) => cell !== null && cell.trim() !== '')?.cell ?? row.key;
}

const matchWords: Readonly<Record<NonNullable<WholeRow['row']['match']>, string>> = {
  exact: 'exact: the company has the identifier that was asked for',
  alias: 'alias: the company has it as another of its names',
  joined: 'joined: another row had found the same company',
  mismatch: 'mismatch: the company has another identifier',
  unverified: 'unverified: the answer does not tell the identifier',
};

function Fact({ name, value }: { readonly name: string; readonly value: string | null }) {
  if (value === null || value === '') return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
