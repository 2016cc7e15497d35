import { useEffect, useRef } from 'preact/hooks';
import type { ListRead } from '../../../workbench/api/list-read.ts';
import type { RunPlan } from '../../../workbench/api/plan.ts';
import { count } from '../../parts/text/format.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { useLoaded } from '../shell/use-loaded.ts';
import { Grid } from './grid.tsx';
import { OtherColumns } from './other-columns.tsx';
import { Price } from './price/price.tsx';
import { StartRun } from './price/start-run.tsx';
import { Terms } from './price/terms.tsx';
import { ReadingForm } from './reading-form.tsx';
import { RejectedValues } from './rejected-values.tsx';
import { useReading } from './use-reading.ts';

/** A list as it is read, what its columns are, and what asking for it would take. */
export function Read({ job }: { readonly job: string }) {
  const { read, problem, version, isBusy, refusal, choose, show } = useReading(job);
  const plan = useLoaded(`${job} ${version}`, (signal) =>
    ask<RunPlan>('plan', { query: { job }, signal }),
  );
  const title = useRef<HTMLHeadingElement>(null);
  // Whoever comes from another view without a mouse goes on here; a field in use keeps the focus.
  useEffect(() => {
    if (document.activeElement === document.body) title.current?.focus();
  }, [read?.list]);
  if (!read) {
    return problem ? (
      <Problem problem={problem} />
    ) : (
      <p class="wait" role="status">{`Reading ${job} …`}</p>
    );
  }
  return (
    <div class="read">
      <div class="read-list">
        <h1 ref={title} tabIndex={-1}>
          {read.list}
        </h1>
        <ReadingForm read={read} choose={choose} />
        {refusal && <Problem problem={refusal} />}
        {problem && <Problem problem={problem} />}
        <Notes read={read} />
        <p class="of-rows" role="status">
          {isBusy ? 'Reading anew …' : rowsText(read)}
        </p>
        <OtherColumns read={read} show={show} />
        <Grid read={read} isBusy={isBusy} choose={choose} />
      </div>
      <aside class="read-price card" aria-labelledby="price-title" aria-busy={plan.isLoading}>
        <div class="price-head">
          <h2 id="price-title">What a run would take</h2>
          <p class="counting" role="status">
            {plan.isLoading ? 'counting …' : ''}
          </p>
        </div>
        {plan.problem && !plan.isLoading && <Problem problem={plan.problem} />}
        {plan.value && !plan.problem && (
          <Price plan={plan.value} isSample={read.service.isSample} />
        )}
        <StartRun
          read={read}
          version={version}
          plan={plan.isLoading || plan.problem ? undefined : plan.value}
        />
        <Terms read={read} choose={choose} />
        <p class="note">{`Kept in ${read.isBare ? 'a job file, once you choose or run' : read.job}.`}</p>
      </aside>
      <RejectedValues read={read} />
    </div>
  );
}

function Notes({ read: { notes, missing } }: { readonly read: ListRead }) {
  const all = [
    ...missing.map((column) => `The job names a column ${column}, which this list does not have.`),
    ...notes,
  ];
  if (all.length === 0) return null;
  return (
    <ul class="notes" aria-label="Notes of the reader">
      {all.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

function rowsText({ rows, rowsSeen, isWhole }: ListRead): string {
  if (isWhole && rows.length === rowsSeen) {
    return rowsSeen === 1 ? 'The only row is shown.' : `All ${count(rowsSeen)} rows are shown.`;
  }
  const counts = isWhole ? `all ${count(rowsSeen)}` : `the first ${count(rowsSeen)}`;
  return `The first ${count(rows.length)} rows are shown; the counts above them are of ${counts}.`;
}
