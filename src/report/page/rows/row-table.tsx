import { useMemo, useState } from 'preact/hooks';
import type { ReasonFacts } from '../../data/insight-data.ts';
import type { SampledRows } from '../../data/rows-data.ts';
import { Section } from '../sections/section.tsx';
import { count, counted } from '../text/format.ts';
import { filterRows, noFilter, type RowFilter } from './row-filter.ts';
import { RowFilters } from './row-filters.tsx';
import { RowList } from './row-list.tsx';

interface RowTableProps {
  readonly sample: SampledRows;
  readonly reasons: readonly ReasonFacts[];
}

/** The rows with their outcomes and the filters over them; a large run is cut to a sample. */
export function RowTable({ sample, reasons }: RowTableProps) {
  const [filter, setFilter] = useState<RowFilter>(noFilter);
  const rows = useMemo(() => filterRows(sample.rows, filter), [sample.rows, filter]);
  const isCapped = sample.rows.length < sample.total;
  return (
    <Section
      id="rows"
      title="What became of each row"
      lead={
        isCapped && (
          <>
            The page holds {count(sample.rows.length)} of {count(sample.total)} rows: the first of
            each outcome, troubles before the rest. All of them are in <b>{sample.file}</b>.
          </>
        )
      }
    >
      <RowFilters filter={filter} onChange={setFilter} rows={sample.rows} reasons={reasons} />
      <p class="found" role="status">
        {rows.length === sample.rows.length
          ? counted(rows.length, 'row', 'rows')
          : `${counted(rows.length, 'row', 'rows')} of ${count(sample.rows.length)}`}
        {isCapped && ' in this page'}
      </p>
      {rows.length === 0 ? (
        <p class="empty card">
          {isCapped ? (
            <>
              None of the {count(sample.rows.length)} rows in this page is like that. It does not
              hold the other {count(sample.total - sample.rows.length)}: look for it in{' '}
              <b>{sample.file}</b>, which has all {count(sample.total)}.
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

function keyOf({ text, statuses, reason }: RowFilter): string {
  return [text, reason, ...statuses].join('\n');
}
