import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type {
  CellVerdict,
  KeptCell,
  KeptCorrection,
  TypedCell,
} from '../../../../workbench/api/mended.ts';
import { type ApiProblem, ask, problemOf } from '../../shell/api.ts';
import { type Mending, wasWords } from './use-mending.ts';

export interface MendInputProps {
  readonly mending: Mending;
  readonly number: number;
  readonly header: string;
  /** What the cell shows now. */
  readonly value: string;
  readonly correction: KeptCorrection | undefined;
  readonly onDone: () => void;
}

const judgeAfterMs = 150;

/** A cell as it is typed into, with the engine's verdict. Enter keeps it, Escape leaves it as it was. */
export function MendInput(props: MendInputProps) {
  const { mending, number, header, value, correction, onDone } = props;
  const [text, setText] = useState(value);
  const [keeping, setKeeping] = useState<{ of: string; problem?: ApiProblem }>();
  const place = useRef<HTMLSpanElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const { judged, setJudged } = useVerdict(mending.job, { number, header, value: text });
  const id = useId();
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
    turnInward(place.current);
    // The user may be in the next cell by the time that this one is kept.
    return () => {
      isDone.current = true;
    };
  }, []);

  const leave = () => {
    if (isDone.current) return;
    isDone.current = true;
    onDone();
  };
  const keep = () => {
    if (isDone.current || keeping?.of === text) return;
    if (text.trim() === value.trim()) return leave();
    setKeeping({ of: text });
    const { job } = mending;
    const body = { number, header, value: text };
    ask<KeptCell>('mended', { method: 'PUT', query: { job }, body }).then(
      ({ verdict, mended }) => {
        setKeeping(undefined);
        setJudged({ of: text, verdict });
        if (verdict.kind === 'refused') return;
        mending.put(mended);
        leave();
      },
      (error) => setKeeping({ of: '', problem: problemOf(error) }),
    );
  };
  const verdict = judged?.verdict;
  const problem = keeping?.problem ?? judged?.problem;
  return (
    <span
      ref={place}
      class="mend-place"
      onFocusOut={({ relatedTarget }: FocusEvent) => {
        if (relatedTarget instanceof Node && place.current?.contains(relatedTarget)) return;
        // What would be refused stays to be looked at.
        const isGood = judged?.of === text && verdict?.kind !== 'refused' && !judged.problem;
        if (text.trim() === value.trim()) leave();
        else if (isGood) keep();
      }}
    >
      <input
        ref={input}
        class="mend-input"
        type="text"
        value={text}
        aria-label={`${header}, row ${number}`}
        aria-describedby={id}
        aria-invalid={verdict?.kind === 'refused'}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') keep();
          else if (event.key === 'Escape') leave();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class={`verdict ${classOf(judged?.of === text, problem ? 'refused' : verdict?.kind)}`}>
        {!judged && <span class="none late">Looking …</span>}
        <span id={id} role="status">
          {problem ? `${problem.message} ${problem.remedy}` : verdict && words(verdict)}
        </span>
        {correction && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              mending.takeBack(correction);
              leave();
            }}
          >
            Take back: {wasWords(correction)}
          </button>
        )}
      </span>
    </span>
  );
}

/** What was typed since is not judged yet. */
function classOf(isOfText: boolean, kind: CellVerdict['kind'] = 'same'): string {
  return isOfText ? `verdict-${kind}` : 'is-old';
}

function words({ kind, text, fix }: CellVerdict) {
  return (
    <>
      <b>{kind === 'good' || kind === 'back' ? '✓ ' : ''}</b>
      {kind === 'back' ? 'As the list has it: nothing is mended here.' : text}
      {fix && kind !== 'back' && ` ${fix}`}
    </>
  );
}

interface Judged {
  readonly of: string;
  readonly verdict?: CellVerdict;
  readonly problem?: ApiProblem;
}

/** The verdict on what is typed, a moment after the last key. */
function useVerdict(job: string, typed: TypedCell) {
  const [judged, setJudged] = useState<Judged>();
  const { value } = typed;
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const judge = () =>
      ask<CellVerdict>('mended/verdict', { method: 'POST', query: { job }, body: typed, signal });
    const timer = setTimeout(
      () => {
        judge().then(
          (verdict) => !signal.aborted && setJudged({ of: value, verdict }),
          (error) => !signal.aborted && setJudged({ of: value, problem: problemOf(error) }),
        );
      },
      judged ? judgeAfterMs : 0,
    );
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [value]);
  return { judged, setJudged };
}

/** Near the lower and right edges of the table the verdict opens towards its middle. */
function turnInward(place: HTMLElement | null): void {
  const table = place?.closest('.table')?.getBoundingClientRect();
  const cell = place?.getBoundingClientRect();
  if (!place || !table || !cell) return;
  place.classList.toggle('upward', cell.bottom + 150 > table.bottom && cell.top - 150 > table.top);
  place.classList.toggle(
    'leftward',
    cell.left + 320 > table.right && cell.right - 320 > table.left,
  );
}
