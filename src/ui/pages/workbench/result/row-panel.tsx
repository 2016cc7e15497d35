import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Cell } from '../../../../core/columns/columns.ts';
import { kindName } from '../../../../core/contract/identifier-kinds.ts';
import { counted, formatNumber } from '../../../../core/values/format.ts';
import { asSentence } from '../../../../core/values/printable.ts';
import { countryName, statusNames } from '../../../words/labels.ts';
import type { TableColumn, WholeRow } from '../../../workbench/api/answers.ts';
import { Button, Problem } from '../../parts/controls.tsx';
import { useRequest } from '../../parts/load.ts';
import { Flags } from '../../parts/status-mark.tsx';
import { Fact, InlineCode, Outside, Time } from '../../parts/text.tsx';
import { cellText, linkOf } from './cell-text.ts';
import { Fixed } from './grid.tsx';
import { changeChoice } from './use-choice.ts';
import { correctionOf, type Fixing } from './use-fixing.ts';
import type { Table } from './use-table.ts';

export function RowPanel(table: Table & { number: number }) {
  const { job, run, number, fixing, isRunning, focusTurn, page, focusGrid } = table;
  const title = useRef<HTMLHeadingElement>(null);
  const { value, problem, isLoading } = useRequest<WholeRow>(
    'row',
    { job, run, number },
    isRunning,
    ({ row }) => isRunning && row.status === 'open' && 1_000,
  );
  useEffect(() => {
    if (focusTurn > 0) title.current?.focus();
  }, [focusTurn]);
  const rows = page?.rows ?? [];
  const at = rows.findIndex((row) => row.number === number);
  const stepTo = (to: number) => {
    const row = at === -1 ? undefined : rows[to];
    return { disabled: !row, onClick: () => row && changeChoice({ row: row.number }, false) };
  };
  const close = () => {
    changeChoice({ row: null });
    focusGrid();
  };
  const isOther = value?.row.number !== number;
  return (
    <aside
      class="drawer"
      aria-label={`Row ${formatNumber(number)}`}
      aria-busy={isLoading}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        close();
      }}
    >
      <div class="drawer-bar row">
        <h2 ref={title} tabIndex={-1}>
          Row {formatNumber(number)}
        </h2>
        <Button {...stepTo(at - 1)} aria-label="Previous row">
          ↑
        </Button>
        <Button {...stepTo(at + 1)} aria-label="Next row">
          ↓
        </Button>
        <Button onClick={close} aria-label="Close">
          ×
        </Button>
      </div>
      <Problem of={problem} />
      {isOther && !problem && <p class="muted late">Reading the row …</p>}
      {value && !isOther && <Whole {...value} fixing={fixing} />}
    </aside>
  );
}

function Whole(whole: WholeRow & { fixing: Fixing }) {
  const { row, company, people, list, identifiers, fixing } = whole;
  const { country, answer, changedAt } = whole;
  const empty = list.filter(isEmpty).map(({ header }) => header);
  return (
    <>
      <Summary {...whole} />
      {[...Map.groupBy(company ?? [], ({ column }) => column.group)].map(([name, fields]) => (
        <Part key={name} title={name}>
          {fields.map(({ column, value }) => (
            <Fact key={column.name} name={column.label} about={column.about}>
              {column.type === 'timestamp' && typeof value === 'string' ? (
                <Time at={value} />
              ) : (
                <Linked value={value} column={column} />
              )}
            </Fact>
          ))}
        </Part>
      ))}
      {people && <People {...people} />}
      <Part title="Your list">
        {list
          .filter((one) => !isEmpty(one))
          .map(({ header, cell, isCut }, at) => {
            const text = cell ?? '';
            const correction = correctionOf(fixing, row.key, header, text, isCut);
            return (
              <Fact key={`${at} ${header}`} name={header || '(no header)'}>
                {correction ? (
                  <>
                    <Fixed {...correction} row={row} />{' '}
                    <Button
                      class="plain"
                      aria-label={`Undo ${header}`}
                      onClick={() =>
                        fixing.fill([{ number: row.number, header, value: correction.was }])
                      }
                    >
                      Undo
                    </Button>
                  </>
                ) : (
                  <bdi>{text}</bdi>
                )}
              </Fact>
            );
          })}
        {empty.length > 0 && (
          <Fact name="Empty">
            <details>
              <summary>{counted(empty.length, 'cell')}</summary>
              {empty.map((header) => header || '(no header)').join(', ')}
            </details>
          </Fact>
        )}
      </Part>
      <Part title="Looked up">
        {identifiers.map((one, at) => (
          <LookedUp
            key={`${one.kind} ${one.value}`}
            {...one}
            answer={at === identifiers.length - 1 && answer}
          />
        ))}
        <Fact name="Key">{row.key}</Fact>
        <Fact name="Match">{row.match && matchWords[row.match]}</Fact>
        <Fact name="Lookup country">{country && countryName(country)}</Fact>
        <Fact name="Last changed">{changedAt && <Time at={changedAt} />}</Fact>
      </Part>
    </>
  );
}

function Linked({ value, column }: { value: Cell; column: TableColumn }) {
  const link = linkOf(value, column);
  const text = <bdi>{cellText(value, column)}</bdi>;
  return link ? <Outside href={link}>{text}</Outside> : text;
}

const isEmpty = ({ cell }: WholeRow['list'][number]) => (cell ?? '').trim() === '';

function Summary({ row, company, list }: WholeRow) {
  const first = list.find((one) => !isEmpty(one))?.cell ?? row.key;
  const name = company?.find(({ column }) => column.name === 'company_name')?.value;
  return (
    <>
      <p class="row-name">
        <bdi>{company ? String(name ?? 'A company without a name') : first}</bdi>
      </p>
      <p class="row">
        <span class={`tag ${row.status}`}>{statusNames[row.status]}</span>
        <Flags {...row} />
      </p>
      {row.reasonText && (
        <p>
          <InlineCode text={asSentence(row.reasonText)} />
        </p>
      )}
      {row.match === 'mismatch' && (
        <p class="notice failed">The company does not have the identifier that was looked up.</p>
      )}
      {row.isStale && (
        <p class="notice">This is an older answer: a newer answer could not be fetched.</p>
      )}
    </>
  );
}

const matchWords = {
  exact: 'exact: the company has the identifier that was looked up',
  alias: 'alias: the identifier is one of the company’s other identifiers',
  joined: 'joined: the lookup of another row found the same company',
  mismatch: 'mismatch: the company has a different identifier',
  unverified: 'unverified: the answer does not contain the identifier',
} as const;

/** Columns shown for each person; the People table has the others. */
const inLine = ['position', 'seniority_name', 'department_name', 'network'];

function People({ people, columns, total, isComplete, isStale }: NonNullable<WholeRow['people']>) {
  return (
    <section class="drawer-part" aria-label="People">
      <h3>{counted(total, 'person', 'people')}</h3>
      {isStale && (
        <p class="notice">
          These people come from an earlier search. The newer search did not finish.
        </p>
      )}
      {!isComplete && <p class="notice">There may be more people.</p>}
      {people.length === 0 && <p class="muted">No people match the job’s search.</p>}
      <ul class="entries">
        {people.map((person, at) => {
          const cells = inLine.map((name) => columns.findIndex((column) => column.name === name));
          const filled = cells.flatMap((index) => {
            const [value = null, column] = [person[index], columns[index]];
            return column && value !== null && value !== '' ? { value, column } : [];
          });
          return (
            <li key={`${at}`}>
              {filled.map((one, index) => (
                <Fragment key={one.column.name}>
                  {index > 0 && ' · '}
                  <Linked {...one} />
                </Fragment>
              ))}
            </li>
          );
        })}
      </ul>
      {total > people.length && (
        <p class="note">
          The first {formatNumber(people.length)} of {counted(total, 'person', 'people')}; the files
          have all of them.
        </p>
      )}
    </section>
  );
}

function LookedUp({
  kind,
  value,
  result,
  answer,
}: WholeRow['identifiers'][number] & { answer: WholeRow['answer'] | false }) {
  const { words, tone } = results[result];
  return (
    <div>
      <dt>
        <span class={`dot ${tone}`} aria-hidden="true" />
        <b>{kindName(kind)}</b> <bdi>{value}</bdi>
      </dt>
      <dd>
        {words}
        {answer && (
          <>
            {answer.service && (
              <>
                {' '}
                by <bdi>{answer.service}</bdi>
              </>
            )}
            {answer.isOfRun ? ' in this run, ' : ', known from an earlier answer of '}
            <Time at={answer.fetchedAt} />
          </>
        )}
      </dd>
    </div>
  );
}

const results = {
  missed: { words: 'not found', tone: 'not_found' },
  matched: { words: 'found', tone: 'matched' },
  failed: { words: 'failed after all attempts', tone: 'failed' },
  open: { words: 'not looked up yet', tone: 'open' },
} as const;

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="drawer-part" aria-label={title}>
      <h3>{title}</h3>
      <dl class="facts">{children}</dl>
    </section>
  );
}
