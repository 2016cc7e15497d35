import type { ReasonFacts, ReportData, SampledRow } from '../../../report/data/report-data.ts';
import { count } from '../../parts/text/format.ts';
import { reasonName, statusesOf, statusNames } from '../../parts/text/labels.ts';
import { noFilter, type RowFilter } from './row-filter.ts';

interface RowFiltersProps {
  readonly filter: RowFilter;
  readonly onChange: (filter: RowFilter) => void;
  readonly rows: readonly SampledRow[];
  readonly totals: ReportData['rows'];
  readonly reasons: readonly ReasonFacts[];
}

export function RowFilters({ filter, onChange, rows, totals, reasons }: RowFiltersProps) {
  const toggle = (status: SampledRow['status']) => {
    const chosen = new Set(filter.statuses);
    if (!chosen.delete(status)) chosen.add(status);
    onChange({ ...filter, statuses: chosen });
  };
  const rowsWith = (status: SampledRow['status']) =>
    rows.filter((row) => row.status === status).length;
  const shown = statusesOf([totals]).filter((status) => rowsWith(status) > 0);
  const names = [...new Set(reasons.map(({ reason }) => reason))];
  return (
    <search class="filters">
      <label class="search">
        <span>Search</span>
        <input
          type="search"
          value={filter.text}
          placeholder="A name, a domain, a number …"
          onInput={(event) => onChange({ ...filter, text: event.currentTarget.value })}
        />
      </label>
      <fieldset class="chips">
        <legend>Outcome</legend>
        {shown.map((status) => (
          <button
            key={status}
            type="button"
            aria-pressed={filter.statuses.has(status)}
            onClick={() => toggle(status)}
          >
            <span class={`dot fill-${status}`} aria-hidden="true" />
            {statusNames[status]} <small>{partOf(rowsWith(status), totals[status])}</small>
          </button>
        ))}
      </fieldset>
      {names.length > 0 && (
        <label class="reason">
          <span>Reason</span>
          <select
            value={filter.reason}
            onChange={(event) => onChange({ ...filter, reason: event.currentTarget.value })}
          >
            <option value="">every reason</option>
            {names.map((reason) => (
              <option key={reason} value={reason}>
                {reasonName(reason)}
              </option>
            ))}
          </select>
        </label>
      )}
      {filter !== noFilter && (
        <button type="button" class="clear" onClick={() => onChange(noFilter)}>
          Show all
        </button>
      )}
    </search>
  );
}

/** `12`, or `600 of 4,120` where the page does not hold them all. */
function partOf(some: number, total: number): string {
  return some < total ? `${count(some)} of ${count(total)}` : count(some);
}
