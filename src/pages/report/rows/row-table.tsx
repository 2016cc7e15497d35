import { useMemo, useState } from 'preact/hooks';
import type { ReasonFacts, ReportData, SampledRows } from '../../../report/data/report-data.ts';
import { Section } from '../../parts/section.tsx';
import { count, counted } from '../../parts/text/format.ts';
import { filterRows, noFilter, type RowFilter } from './row-filter.ts';
import { RowFilters } from './row-filters.tsx';
import { RowList } from './row-list.tsx';

interface RowTableProps {
  readonly sample: SampledRows;
  /** All rows of the run by outcome, of which the page holds the sample. */
  readonly totals: ReportData['rows'];
  readonly reasons: readonly ReasonFacts[];
}

/** The rows with their outcomes and the filters over them; a large run is cut to a sample. */
export function RowTable({ sample, totals, reasons }: RowTableProps) {
  const [filter, setFilter] = useState<RowFilter>(noFilter);
  const rows = useMemo(() => filterRows(sample.rows, filter), [sample.rows, filter]);
  const held = sample.rows.length;
  const missing = sample.total - held;
  return (
    <Section
      id="rows"
      title="What became of each row"
      lead={
        missing > 0 && (
          <>
            This page holds {count(held)} of {count(sample.total)} rows: the first of each outcome,
            troubles before the rest. <WayToTheRest sample={sample} />
          </>
        )
      }
    >
      <RowFilters
        filter={filter}
        onChange={setFilter}
        rows={sample.rows}
        totals={totals}
        reasons={reasons}
      />
      <p class="found" role="status">
        {rows.length === held
          ? counted(held, 'row', 'rows')
          : `${counted(rows.length, 'row', 'rows')} of ${count(held)}`}
        {missing > 0 &&
          ` in this page, ${count(missing)} not ${filter === noFilter ? 'in it' : 'searched'}`}
      </p>
      {rows.length === 0 ? (
        <p class="empty card">
          {missing > 0 ? (
            <>
              None of the {counted(held, 'row', 'rows')} in this page is like that.{' '}
              <WayToTheRest sample={sample} />
            </>
          ) : (
            'No row is like that.'
          )}
        </p>
      ) : (
        // The key makes a new list for each filter, so that it starts at the top.
        <RowList key={keyOf(filter)} rows={rows} />
      )}
    </Section>
  );
}

/** How many rows the page does not hold, and where they are. */
function WayToTheRest({ sample }: { readonly sample: SampledRows }) {
  const missing = sample.total - sample.rows.length;
  return (
    <>
      {counted(missing, 'other row is', 'other rows are')} not in it: <code>dossier ui</code>{' '}
      searches all {count(sample.total)}, and <b>{sample.file}</b> has them.
    </>
  );
}

function keyOf({ text, statuses, reason }: RowFilter): string {
  return [text, reason, ...statuses].join('\n');
}
