import type { ReportData } from '../../../report/data/report-data.ts';
import { count, counted, percent } from '../../parts/text/format.ts';

/**
 * The first figure of the page. While rows are open it is the progress: a share of companies among all
 * rows would read as a bad match rate.
 */
export function Headline({ data: { rows, run, stale = 0 } }: { readonly data: ReportData }) {
  const all = counted(rows.total, 'row', 'rows');
  // Nor is the share of a stopped run, whose rows show older answers, that of a good night.
  if (rows.open > 0 || run.stopped) {
    const done = rows.total - rows.open - (run.stopped ? stale : 0);
    return <Figure figure={percent(done, rows.total)} about={`${count(done)} of ${all} done`} />;
  }
  const matched = `${count(rows.matched)} of ${all} matched`;
  return <Figure figure={percent(rows.matched, rows.total)} about={matched} />;
}

/** The match rate of the rows that were asked for, while others are open. */
export function MatchedSoFar({ data: { rows, run, stale = 0 } }: { readonly data: ReportData }) {
  if (run.stopped && stale > 0) {
    return (
      <p class="so-far">
        <b>{count(rows.matched)}</b> matched, older answers included
      </p>
    );
  }
  if (rows.open === 0) return null;
  const asked = rows.total - rows.open - rows.invalid;
  if (asked === 0) return <p class="so-far">No row was asked for yet.</p>;
  return (
    <p class="so-far">
      <b>{percent(rows.matched, asked)}</b> matched so far: {count(rows.matched)} of{' '}
      {counted(asked, 'row', 'rows')} asked for
    </p>
  );
}

function Figure({ figure, about }: { readonly figure: string; readonly about: string }) {
  return (
    <>
      <span class="rate">{figure}</span>
      <span>{about}</span>
    </>
  );
}
