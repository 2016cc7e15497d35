import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListCard, MadeJob } from '../../../workbench/api/lists.ts';
import type { RunFacts } from '../../../workbench/api/runs.ts';
import { StackedBar } from '../../parts/charts/stacked-bar.tsx';
import { bytes, count, counted, percent } from '../../parts/text/format.ts';
import { Time } from '../../parts/text/time.tsx';
import { spentText } from '../shell/amounts.ts';
import { type ApiProblem, ask, problemOf } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { goTo, linkTo, titleOf } from '../shell/route.ts';
import { useLoaded } from '../shell/use-loaded.ts';

/** Home: a place to drop a list, and the jobs and lists of the folder. */
export function Lists() {
  const cards = useLoaded('', (signal) => ask<ListCard[]>('lists', { signal }));
  return (
    <>
      <DropArea onDone={cards.reload} />
      {cards.problem && <Problem problem={cards.problem} />}
      {!cards.value && cards.isLoading && <p class="wait">Looking through the folder …</p>}
      {cards.value?.length === 0 && (
        <p class="empty">
          There is no list in this folder yet. One that you drop, or copy into it, appears here.
        </p>
      )}
      <ul class="cards" aria-label="Lists of this folder">
        {cards.value?.map((card) => (
          <Card key={card.path} card={card} onChange={cards.reload} />
        ))}
      </ul>
    </>
  );
}

/** Where a list becomes a job: dropped, or chosen with a button. */
function DropArea({ onDone }: { onDone(): void }) {
  const [coming, setComing] = useState<File>();
  const [problem, setProblem] = useState<ApiProblem>();
  const input = useRef<HTMLInputElement>(null);

  const take = async (files: readonly File[]) => {
    setProblem(undefined);
    try {
      let made: MadeJob | undefined;
      for (const file of files) {
        setComing(file);
        made = await ask<MadeJob>('lists', {
          method: 'POST',
          query: { name: file.name },
          body: file,
        });
      }
      onDone();
      if (made && files.length === 1) goTo({ view: 'read', job: made.job });
    } catch (error) {
      setProblem(problemOf(error));
    }
    setComing(undefined);
    if (input.current) input.current.value = '';
  };
  const isOver = useDrop((files) => void take(files));
  return (
    <section class="drop-section" aria-labelledby="drop-title">
      <div class={isOver ? 'drop drop-over' : 'drop'}>
        <h1 id="drop-title">Drop a list here</h1>
        <p class="formats">
          Excel (.xlsx), CSV, TSV, JSON, JSON lines or Parquet, also as .gz or .zst. It stays in
          this folder.
        </p>
        <button
          type="button"
          class="primary"
          disabled={coming !== undefined}
          onClick={() => input.current?.click()}
        >
          Choose a file
        </button>
        <input
          ref={input}
          class="unseen"
          type="file"
          aria-label="A list of companies"
          tabIndex={-1}
          multiple
          onChange={({ currentTarget }) => void take([...(currentTarget.files ?? [])])}
        />
        <p role="status" class="coming">
          {coming ? `Reading ${coming.name}, ${bytes(coming.size)} …` : ''}
        </p>
      </div>
      {problem && <Problem problem={problem} />}
    </section>
  );
}

/** Files may be dropped anywhere: one that missed the area would replace the page. */
function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
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
      if (files.length > 0) take.current(files);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

interface CardProps {
  readonly card: ListCard;
  onChange(): void;
}

/** A list: what it is, how its last run went, and the one thing to do next. */
function Card({ card, onChange }: CardProps) {
  const { path, list, last, problem } = card;
  const title = titleOf(path);
  return (
    <li class={problem ? 'card list-card broken' : 'card list-card'}>
      <h2>
        <a href={linkTo({ view: 'read', job: path })}>{title}</a>
      </h2>
      {list !== null && list !== title && <p class="of-list">{list}</p>}
      {problem ? <BrokenJob path={path} text={problem} /> : <Facts card={card} />}
      {last && !problem && <MatchRate last={last} />}
      <div class="card-foot">
        {!problem && (
          <a class="button" href={addressOf(card)} aria-label={`${verbOf(card)}: ${title}`}>
            {verbOf(card)}
          </a>
        )}
        {!card.isRunning && <Edit path={path} title={title} onChange={onChange} />}
      </div>
    </li>
  );
}

interface EditProps {
  readonly path: string;
  readonly title: string;
  onChange(): void;
}

/** Renames a list, or moves it aside. */
function Edit({ path, title, onChange }: EditProps) {
  const [problem, setProblem] = useState<ApiProblem>();
  const send = async (method: 'PATCH' | 'DELETE', body?: { readonly to: string }) => {
    setProblem(undefined);
    try {
      await ask('lists', { method, query: { job: path }, body });
      onChange();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <details class="edit-list">
      <summary aria-label={`Edit: rename or remove ${title}`}>Edit</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const to = String(new FormData(event.currentTarget).get('to')).trim();
          if (to !== '' && to !== title) void send('PATCH', { to });
        }}
      >
        <input type="text" name="to" aria-label={`New name of ${title}`} defaultValue={title} />
        <button type="submit">Rename</button>
        <button type="button" onClick={() => void send('DELETE')}>
          Remove
        </button>
      </form>
      <p class="note">
        Removing moves its files to the folder <code>removed</code>. Answers and results stay.
      </p>
      {problem && <Problem problem={problem} />}
    </details>
  );
}

function BrokenJob({ path, text }: { readonly path: string; readonly text: string }) {
  const [first = '', ...others] = text.split('\n');
  return (
    <div class="what-is-wrong">
      <p>
        <b>{first}</b>
      </p>
      {others.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <p class="note">{`Correct ${path} in an editor: this card follows by itself.`}</p>
    </div>
  );
}

function Facts({ card: { last, bytes: size, isRunning } }: { readonly card: ListCard }) {
  const sizeText = size === null ? 'The list is not there' : bytes(size);
  if (!last) return <p class="facts">{`${sizeText}, has not run yet`}</p>;
  const rows = counted(last.rows.total, 'row', 'rows');
  const words = [
    ...(last.state === 'held' ? ['held'] : []),
    last.sampleData ? 'sample data' : spentText(last),
  ];
  return (
    <p class="facts">
      {last.limit === null ? rows : `The first ${rows} tried`},{' '}
      {isRunning ? 'runs now' : <Time at={last.startedAt} />}, {words.join(', ')}
    </p>
  );
}

function MatchRate({ last }: { readonly last: RunFacts }) {
  const { total, matched, not_found, invalid, failed, open } = last.rows;
  const parts = { matched, not_found, invalid, failed, open };
  return (
    <div class="match-rate">
      <StackedBar
        parts={Object.entries(parts).map(([status, rows]) => ({
          status: status as keyof typeof parts,
          rows,
        }))}
        whole={total}
      />
      <p>
        <b>{percent(matched, total)}</b> found
        {open > 0 && `, ${count(open)} open`}
      </p>
    </div>
  );
}

const verbs = {
  watch: 'Watch',
  'go on': 'Go on',
  fix: 'Fix',
  'run again': 'Run again',
  read: 'Read',
} as const;

function verbOf({ verb, last }: ListCard): string {
  return verb === 'fix' ? `${verbs.fix} ${count(last?.rows.invalid ?? 0)}` : verbs[verb];
}

/** Nothing is spent from here: what costs is started where its price stands. */
function addressOf({ verb, path: job }: ListCard): string {
  if (verb === 'read' || verb === 'run again') return linkTo({ view: 'read', job });
  const result = linkTo({ view: 'result', job });
  return verb === 'fix' ? `${result}?fix=&status=invalid` : result;
}
