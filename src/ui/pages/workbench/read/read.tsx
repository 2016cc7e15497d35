import { listKinds } from '../../../../core/contract/identifier-kinds.ts';
import { counted, formatNumber } from '../../../../core/values/format.ts';
import type { ListRead, RunPlan } from '../../../workbench/api/answers.ts';
import { Button, Problem } from '../../parts/controls.tsx';
import { currentOf, useHeadingFocus, useRequest } from '../../parts/load.ts';
import { Breakable, InlineCode } from '../../parts/text.tsx';
import { titleOf } from '../route.ts';
import { ListGrid } from './list-grid.tsx';
import { Price, StartRun } from './price.tsx';
import { EncodingChoice, PeopleChoice, ReadingForm } from './reading-form.tsx';
import { identifiersOf } from './roles.ts';
import { type ListReading, useReading } from './use-reading.ts';

export function Read({ job }: { job: string }) {
  const { read, problem, version, isBusy, refusal, choose } = useReading(job);
  const plan = useRequest<RunPlan>('plan', { job }, version);
  const heading = useHeadingFocus(read?.list);
  if (!read) {
    return problem ? (
      <div class="view">
        <h1>
          <bdi>{titleOf(job)}</bdi>
        </h1>
        <Problem of={problem} />
      </div>
    ) : (
      <p class="wait" role="status">{`Reading ${job} …`}</p>
    );
  }
  const reading = { read, choose };
  return (
    <div class="view read">
      <div class="read-head">
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{read.list}</bdi>
        </h1>
        <FoundBy {...reading} />
        <ReadingForm {...reading} />
        <Problem of={refusal} />
        <Problem of={problem} />
        <Notes {...read} />
        <EncodingChoice {...reading} />
      </div>
      <div class="read-side">
        <aside
          class="read-price card stack"
          aria-labelledby="price-title"
          aria-busy={plan.isLoading}
        >
          <div class="row between">
            <h2 id="price-title">Cost of a run</h2>
            <p class="note" role="status">
              {plan.isLoading ? 'counting …' : ''}
            </p>
          </div>
          {!plan.isLoading && read.rowsSeen > 0 && <Problem of={plan.problem} />}
          {plan.value && !plan.problem && <Price {...plan.value} read={read} />}
          <StartRun read={read} version={version} plan={currentOf(plan)} />
        </aside>
        <div class="read-people card stack">
          <PeopleChoice {...reading} />
          <p class="note">{`Choices are saved in ${read.isBare ? 'a job file, which your first choice or run creates' : read.job}.`}</p>
        </div>
      </div>
      <div class="read-rows">
        <p class="note" role="status">
          {isBusy ? 'Reading again …' : rowsText(read)}
        </p>
        <ListGrid {...reading} isBusy={isBusy} />
        <RejectedValues {...read} />
      </div>
    </div>
  );
}

function Notes(read: ListRead) {
  const { notes, missing, format, headerLine, otherColumns } = read;
  const hasNoHeader = headerLine === null && (format === 'csv' || format === 'xlsx');
  const all = [
    ...missing.map((column) => `The job names a column ${column}, which this list does not have.`),
    hasNoHeader &&
      'No header row was found, so the columns are called column_1, column_2 and so on. If a row has the column names, enter its number in “Header row”.',
    otherColumns > 0 &&
      `${counted(otherColumns, 'more column is', 'more columns are')} read but not shown.`,
    ...sheetNotes(read),
    ...notes,
  ].filter((note) => note !== false);
  if (all.length === 0) return null;
  return (
    <ul class="notice" aria-label="Notes about the list">
      {all.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

const hasIdentifiers = ({ columns }: ListRead) =>
  columns.some(({ role, good }) => role.is === 'identifier' && good > 0);

function sheetNotes(read: ListRead) {
  const { sheet, settings } = read;
  if (!sheet || sheet.others.length === 0 || settings.sheet !== null) return [];
  const why = hasIdentifiers(read)
    ? 'the first sheet with identifiers'
    : 'the first sheet, because no sheet has identifiers';
  const others = sheet.lists.map((name) => `“${name}”`).join(', ');
  const more = `Identifiers are also in ${others}. Choose it in “Sheet”: each sheet is a list with its own result.`;
  return [
    `The list is read from the sheet “${sheet.name}”, ${why}. ${others === '' ? '' : more}`.trim(),
  ];
}

function rowsText({ rows, rowsSeen, isWhole }: ListRead) {
  if (rowsSeen === 0) return '';
  if (isWhole && rows.length === rowsSeen) {
    return rowsSeen === 1
      ? 'The only row is shown.'
      : `All ${formatNumber(rowsSeen)} rows are shown.`;
  }
  const counts = isWhole ? `all ${formatNumber(rowsSeen)}` : `the first ${formatNumber(rowsSeen)}`;
  return `The first ${formatNumber(rows.length)} rows are shown. The figures above the columns cover ${counts} rows.`;
}

function FoundBy({ read, choose }: ListReading) {
  const warning = (title: string, remedy: string) => (
    <p class="notice" role="alert">
      <b>{title}</b> <InlineCode text={remedy} />
    </p>
  );
  if (read.rowsSeen === 0) return warning('This list has no rows.', causeOf(read));
  if (!hasIdentifiers(read)) {
    return warning(
      `Dossier finds companies by ${listKinds('or', '')}. No column of this list has any of them.`,
      `Add a column with one of them for each company. If a column already has these values, choose its kind above the column. ${
        read.names.kinds.includes('name')
          ? 'If a column has company names, choose Company name.'
          : 'For company names, load a register on this machine first: `dossier register load FILE…` (docs/names.md).'
      }`,
    );
  }
  const used = identifiersOf(read);
  const sooner = (at: number) => used.toSpliced(at - 1, 2, ...used.slice(at - 1, at + 1).reverse());
  return (
    <p tabIndex={-1}>
      Companies are found by{' '}
      {used.map(({ column, as }, at) => {
        const words = `Find by ${column} before ${used[at - 1]?.column}`;
        return (
          <span key={column}>
            {at > 0 && ', then '}
            <b>
              <bdi>{column}</bdi>
            </b>
            {as === 'name' && ' (names in the register)'}
            {at > 0 && as !== 'name' && (
              <Button
                class="plain"
                aria-label={words}
                title={words}
                onClick={({ currentTarget }) => {
                  // The column becomes the first, which has no button that could keep the focus.
                  if (at === 1) currentTarget.closest('p')?.focus();
                  choose({ identify: sooner(at) });
                }}
              >
                ↑
              </Button>
            )}
          </span>
        );
      })}
      .
    </p>
  );
}

function causeOf({ sheet, headerLine, format, list }: ListRead) {
  if (sheet && sheet.others.length > 0) {
    return `The sheet “${sheet.name}” has nothing below its header: choose another sheet, or set another row in “Header row”.`;
  }
  if (headerLine !== null && headerLine > 1) {
    return `There is nothing below row ${headerLine}, which is read as the header: set another row in “Header row”.`;
  }
  const isTable = format === 'csv' || format === 'xlsx';
  return isTable
    ? `${list} has a header and nothing below it: export the list again, with its rows.`
    : `${list} is empty: export the list again, with its rows.`;
}

function RejectedValues({ columns: all }: ListRead) {
  const columns = all.filter(({ rejects }) => rejects.length > 0);
  if (columns.length === 0) return null;
  return (
    <section aria-labelledby="rejected-title">
      <h2 id="rejected-title">Invalid values, which cost nothing</h2>
      <p class="lead muted">A row is invalid only if none of its values can be looked up.</p>
      <div class="columns">
        {columns.map(({ name, rejects }) => (
          <div key={name} class="card">
            <h3>
              <bdi>{name}</bdi>
            </h3>
            <ul class="entries">
              {rejects.map(({ message, rows, examples }) => (
                <li key={message}>
                  <b>{formatNumber(rows)}</b> <InlineCode text={message} />
                  <small>
                    <Breakable text={examples.join(' · ')} />
                  </small>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  );
}
