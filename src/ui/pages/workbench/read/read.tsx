import { useEffect, useRef } from 'preact/hooks';
import type { ListRead } from '../../../workbench/api/lists.ts';
import type { RunPlan } from '../../../workbench/api/runs.ts';
import { Breakable } from '../../parts/text/breakable.tsx';
import { count } from '../../parts/text/format.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { useLoaded } from '../shell/use-loaded.ts';
import { Grid, OtherColumns } from './grid.tsx';
import { PeopleChoice } from './price/people-choice.tsx';
import { Price } from './price/price.tsx';
import { StartRun } from './price/start-run.tsx';
import { EncodingChoice, ReadingForm } from './reading-form.tsx';
import { identifiersOf } from './roles.ts';
import { type Choose, useReading } from './use-reading.ts';

/** A list as it is read, what its columns are, and what looking it up would cost. */
export function Read({ job }: { readonly job: string }) {
  const { read, problem, version, isBusy, refusal, choose, shown, show } = useReading(job);
  const plan = useLoaded(`${job} ${version}`, (signal) =>
    ask<RunPlan>('plan', { query: { job }, signal }),
  );
  const title = useRef<HTMLHeadingElement>(null);
  // The focus starts here after a change of view; a field in use keeps it.
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
        <FoundBy read={read} choose={choose} />
        <ReadingForm read={read} choose={choose} />
        {refusal && <Problem problem={refusal} />}
        {problem && <Problem problem={problem} />}
        <Notes read={read} />
        <EncodingChoice read={read} choose={choose} />
        <p class="of-rows" role="status">
          {isBusy ? 'Reading again …' : rowsText(read)}
        </p>
        <Grid read={read} shown={shown} isBusy={isBusy} choose={choose} />
        <OtherColumns read={read} show={show} />
      </div>
      <aside class="read-price card" aria-labelledby="price-title" aria-busy={plan.isLoading}>
        <div class="price-head">
          <h2 id="price-title">What a run would take</h2>
          <p class="counting" role="status">
            {plan.isLoading ? 'counting …' : ''}
          </p>
        </div>
        {plan.problem && !plan.isLoading && <Problem problem={plan.problem} />}
        {plan.value && !plan.problem && <Price plan={plan.value} read={read} />}
        <StartRun
          read={read}
          version={version}
          plan={plan.isLoading || plan.problem ? undefined : plan.value}
        />
        <PeopleChoice read={read} choose={choose} />
        <p class="note">{`Saved in ${read.isBare ? 'a job file, once you choose or run' : read.job}.`}</p>
      </aside>
      <RejectedValues read={read} />
    </div>
  );
}

function Notes({ read }: { readonly read: ListRead }) {
  const { notes, missing, format, headerLine } = read;
  const hasNoHeader = headerLine === null && (format === 'csv' || format === 'xlsx');
  const all = [
    ...missing.map((column) => `The job names a column ${column}, which this list does not have.`),
    ...(hasNoHeader
      ? [
          'No header row was found, so the columns are called column_1, column_2 and so on. If a row names them, set it in “Header in row”.',
        ]
      : []),
    ...sheetNotes(read),
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

function sheetNotes({ sheet, settings, columns }: ListRead): string[] {
  if (!sheet || sheet.others.length === 0 || settings.sheet !== null) return [];
  const why = columns.some(({ role, good }) => role.is === 'identifier' && good > 0)
    ? 'the first one that has identifiers'
    : 'the first one, because none has identifiers';
  const others = sheet.others.map((name) => `“${name}”`).join(', ');
  return [`This is the sheet “${sheet.name}”, ${why}. Choose ${others} in “Sheet”.`];
}

function rowsText({ rows, rowsSeen, isWhole }: ListRead): string {
  if (rowsSeen === 0) return '';
  if (isWhole && rows.length === rowsSeen) {
    return rowsSeen === 1 ? 'The only row is shown.' : `All ${count(rowsSeen)} rows are shown.`;
  }
  const counts = isWhole ? `all ${count(rowsSeen)}` : `the first ${count(rowsSeen)}`;
  return `The first ${count(rows.length)} rows are shown. The figures above them count ${counts}.`;
}

interface FoundByProps {
  readonly read: ListRead;
  readonly choose: Choose;
}

/** The first sentence of Read: how companies are found, or why none can be. */
function FoundBy({ read, choose }: FoundByProps) {
  if (read.rowsSeen === 0) {
    return (
      <p class="warning" role="alert">
        <b>This list has no rows.</b> {causeOf(read)}
      </p>
    );
  }
  const used = identifiersOf(read);
  const isGood = read.columns.some(({ role, good }) => role.is === 'identifier' && good > 0);
  if (!isGood) {
    return (
      <p class="warning" role="alert">
        <b>Dossier finds companies by domain, ABN or network page. This list has none of them.</b>{' '}
        Add a column with the website, the ABN or the network page of each company. If a column has
        them, choose its kind above that column.
      </p>
    );
  }
  const sooner = (at: number) => used.toSpliced(at - 1, 2, ...used.slice(at - 1, at + 1).reverse());
  return (
    <p class="found-by">
      Companies are found by{' '}
      {used.map(({ column }, at) => (
        <span key={column}>
          {at > 0 && ', then '}
          <b>{column}</b>
          {at > 0 && (
            <button
              type="button"
              class="plain"
              aria-label={`Find by ${column} before ${used[at - 1]?.column}`}
              title={`Find by ${column} before ${used[at - 1]?.column}`}
              onClick={() => choose({ identify: sooner(at) })}
            >
              ↑
            </button>
          )}
        </span>
      ))}
      .
    </p>
  );
}

function causeOf({ sheet, headerLine, format, list }: ListRead): string {
  if (sheet && sheet.others.length > 0) {
    return `The sheet “${sheet.name}” has nothing below its header: choose another sheet, or set the row of the header.`;
  }
  if (headerLine !== null && headerLine > 1) {
    return `There is nothing below row ${headerLine}, which is read as the header: set another row in “Header in row”.`;
  }
  const isTable = format === 'csv' || format === 'xlsx';
  return isTable
    ? `${list} has a header and nothing below it: export it again, with its rows.`
    : `${list} is empty: export it again, with its rows.`;
}

/** Values that will not do, by column and reason, with examples. */
function RejectedValues({ read }: { readonly read: ListRead }) {
  const columns = read.columns.filter(({ rejects }) => rejects.length > 0);
  if (columns.length === 0) return null;
  return (
    <section class="rejected-values" aria-labelledby="rejected-title">
      <h2 id="rejected-title">What is rejected here, before it costs anything</h2>
      <div class="rejected-columns">
        {columns.map(({ name, rejects }) => (
          <div key={name} class="card">
            <h3>{name}</h3>
            <ul>
              {rejects.map(({ reject, message, rows, examples }) => (
                <li key={reject}>
                  <b>{count(rows)}</b>
                  <div>
                    {message}
                    <small>
                      <Breakable text={examples.join(' · ')} />
                    </small>
                  </div>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  );
}
