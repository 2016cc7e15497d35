import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, formatBytes, formatNumber } from '../../../core/values/format.ts';
import { foldText } from '../../words/fold-text.ts';
import type { KnownList, ListCard, MadeJob } from '../../workbench/api/answers.ts';
import { request } from '../parts/api.ts';
import { Button, Form, Problem } from '../parts/controls.tsx';
import { useAttempt, useRequest } from '../parts/load.ts';
import { InlineCode, outcomeShares, Shares, Time } from '../parts/text.tsx';
import { fixableStatuses } from './result/use-fixing.ts';
import { linkTo, titleOf } from './route.ts';
import { spentText } from './spend.tsx';

/** With fewer lists, all of them are in sight. */
const searchedFrom = 10;

export function Lists() {
  const cards = useRequest<ListCard[]>('lists');
  const [search, setSearch] = useState('');
  const isShown = ({ path, list = '' }: ListCard) =>
    foldText(`${path} ${list}`).includes(foldText(search));
  const isMixed = cards.value?.some(({ isSample }) => !isSample);
  const shown = cards.value?.filter(isShown);
  return (
    <div class="view">
      <DropArea onDone={cards.reload} />
      <Problem of={cards.problem} />
      {!cards.value && cards.isLoading && <p class="wait">Reading the folder …</p>}
      {cards.value?.length === 0 && (
        <p class="muted">
          No lists in this folder yet. Drop a list here, or copy it into the folder.
        </p>
      )}
      {cards.value && cards.value.length >= searchedFrom && (
        <p class="tools row">
          <input
            type="search"
            aria-label="Search the lists"
            placeholder="Search the lists"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <span class="note" role="status">
            {search &&
              `${formatNumber(shown?.length ?? 0)} of ${counted(cards.value.length, 'list')}`}
          </span>
        </p>
      )}
      <ul class="cards" aria-label="Lists in this folder">
        {shown?.map((card) => (
          <Card
            key={card.path}
            {...card}
            isSample={card.isSample && isMixed === true}
            onChange={cards.reload}
          />
        ))}
      </ul>
    </div>
  );
}

function DropArea({ onDone }: { onDone(): void }) {
  const [coming, setComing] = useState<File>();
  const [asked, setAsked] = useState<KnownList & { files: readonly File[] }>();
  const { problem, isBusy, attempt } = useAttempt();
  const input = useRef<HTMLInputElement>(null);
  /** `as` is the answer for the first file. */
  const take = (files: readonly File[], as?: string) =>
    attempt(async () => {
      setAsked(undefined);
      let made: MadeJob | undefined;
      for (const [at, file] of files.entries()) {
        setComing(file);
        const query = { name: file.name, as: at === 0 ? as : undefined };
        const answer = await request<MadeJob | KnownList>('lists', { query, body: file });
        if ('known' in answer) {
          setAsked({ ...answer, files: files.slice(at) });
          return onDone();
        }
        made = answer;
      }
      onDone();
      if (made && files.length === 1) location.hash = linkTo({ view: 'read', job: made.job });
    });
  const isOver = useDrop(take);
  return (
    <section aria-labelledby="drop-title">
      <div class={isOver ? 'drop drop-over' : 'drop'}>
        <h1 id="drop-title">Drop a list here</h1>
        <p class="muted">
          Excel (.xlsx), CSV, TSV, JSON, JSON lines or Parquet, also as .gz or .zst. Your list stays
          in this folder.
        </p>
        <Button class="primary" disabled={isBusy} onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={input}
          class="unseen"
          type="file"
          aria-label="A list of companies"
          tabIndex={-1}
          multiple
          onChange={({ currentTarget }) => {
            take([...(currentTarget.files ?? [])]);
            // Allows choosing the same file again.
            currentTarget.value = '';
          }}
        />
        <p role="status" class="note">
          {isBusy && coming && (
            <>
              Reading <bdi>{coming.name}</bdi>, {formatBytes(coming.size)} …
            </>
          )}
        </p>
      </div>
      {asked && (
        <Known
          {...asked}
          isBusy={isBusy}
          onAnswer={(as) => take(asked.files, as)}
          onCancel={() => setAsked(undefined)}
        />
      )}
      <Problem of={problem} />
    </section>
  );
}

function Known(
  props: KnownList & {
    files: readonly File[];
    isBusy: boolean;
    onAnswer(as: string): void;
    onCancel(): void;
  },
) {
  const { known, by, files, isBusy, onAnswer, onCancel } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  // The Enter key replaces nothing by accident.
  useEffect(() => cancel.current?.focus(), [files]);
  const title = titleOf(known);
  return (
    <div class="notice accent stack" role="alertdialog" aria-labelledby="known-title">
      <p id="known-title">
        <b>
          <bdi>{files[0]?.name}</bdi> has the same {by} as the list <bdi>{title}</bdi>. Is it a
          newer version?
        </b>
      </p>
      <p>
        If you replace the list, its corrections and history stay, and answers are not paid for
        twice. The old file moves to the folder <code>removed</code>.
      </p>
      <div class="row">
        <Button disabled={isBusy} onClick={() => onAnswer(known)}>
          Replace <bdi>{title}</bdi>
        </Button>
        <Button disabled={isBusy} onClick={() => onAnswer('new')}>
          Add as a new list
        </Button>
        <button ref={cancel} type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </div>
  );
}

/** Handles drops anywhere, because a file dropped beside the area would replace the page. */
function useDrop(onFiles: (files: readonly File[]) => void) {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault();
      setIsOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => setIsOver(relatedTarget !== null);
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setIsOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) onFiles(files);
    };
    const leaving = new AbortController();
    addEventListener('dragover', over, leaving);
    addEventListener('dragleave', leave, leaving);
    addEventListener('drop', drop, leaving);
    return () => leaving.abort();
  });
  return isOver;
}

function Card(card: ListCard & { onChange(): void }) {
  const { path, list, last, problem, isRunning, isSample, onChange } = card;
  const title = titleOf(path);
  const [words, href] = nextStep(card);
  return (
    <li class="card stack list-card">
      <h2>
        <a href={linkTo({ view: 'read', job: path })}>
          <bdi>{title}</bdi>
        </a>{' '}
        {isSample && <span class="tag">sample data</span>}
      </h2>
      {list !== undefined && list !== title && (
        <p class="note">
          <bdi>{list}</bdi>
        </p>
      )}
      {problem ? (
        <Problem of={problem} />
      ) : (
        <>
          <p class="note">
            <LastRun {...card} />
          </p>
          {last && <Shares parts={outcomeShares(last.rows)} />}
        </>
      )}
      <div class="row between">
        {!problem && (
          <a class="button" href={href} aria-label={`${words}: ${title}`}>
            {words}
          </a>
        )}
        {!isRunning && <Edit path={path} title={title} onChange={onChange} />}
      </div>
    </li>
  );
}

function Edit({ path, title, onChange }: { path: string; title: string; onChange(): void }) {
  const { problem, attempt } = useAttempt();
  const send = (method: 'PATCH' | 'DELETE', body?: { to: string }) =>
    attempt(async () => {
      await request('lists', { method, query: { job: path }, body });
      onChange();
    });
  return (
    <details class="edit-list">
      <summary aria-label={`Edit: rename or remove ${title}`}>Edit</summary>
      <Form
        class="row"
        onSend={(text) => text.trim() !== title && send('PATCH', { to: text.trim() })}
      >
        <input
          type="text"
          name="to"
          aria-label={`New name for ${title}`}
          defaultValue={title}
          required
        />
        <button type="submit">Rename</button>
      </Form>
      <details>
        <summary>Remove …</summary>
        <Button onClick={() => send('DELETE')}>Move to the folder “removed”</Button>
      </details>
      <p class="note">
        <InlineCode text="Rename changes the name on this page. Result files stay in their folder, and commands keep the old name of the job. Remove moves the list’s files to the folder `removed`. Answers and results stay." />
      </p>
      <Problem of={problem} />
    </details>
  );
}

function LastRun({ last, isRunning, runs, spent, bytes: size }: ListCard) {
  if (!last)
    return `${size === undefined ? 'The list is missing' : formatBytes(size)}, not run yet`;
  const rows = counted(last.rows.total, 'row');
  return (
    <>
      {last.limit === null ? rows : `Trial run of the first ${rows}`},{' '}
      {isRunning ? 'running' : <Time at={last.startedAt} />}
      {last.state === 'held' && ', held'},{' '}
      {spent ? `${spent}${runs > 1 ? ` in ${counted(runs, 'run')}` : ''}` : spentText(last)}
    </>
  );
}

const unfinished = ['stopped', 'killed', 'incomplete'];

/** Steps that cost money start where the price is shown. */
function nextStep({ path: job, isRunning, last }: ListCard) {
  const read = linkTo({ view: 'read', job });
  const result = linkTo({ view: 'result', job });
  if (isRunning) return ['Watch', result] as const;
  if (last && unfinished.includes(last.state)) return ['Continue', result] as const;
  if (!last || last.state === 'superseded' || last.limit !== null) return ['Read', read] as const;
  const rows = fixableStatuses.reduce((sum, status) => sum + last.rows[status], 0);
  if (rows === 0) return ['Run again', read] as const;
  const chosen = fixableStatuses.map((status) => `&status=${status}`).join('');
  return [`Fix ${formatNumber(rows)}`, `${result}?fix=${chosen}`] as const;
}
