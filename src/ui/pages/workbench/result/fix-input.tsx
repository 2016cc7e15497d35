import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CellVerdict } from '../../../workbench/api.ts';
import { type ApiProblem, problemOf, request } from '../../parts/api.ts';
import { useLoaded } from '../../parts/load.ts';
import { type EditedCell, type Fixing, type KeptCorrection, wasWords } from './use-fixing.ts';

interface FixInputProps {
  readonly fixing: Fixing;
  readonly cell: EditedCell;
  /** What the cell holds now. */
  readonly value: string;
  readonly correction: KeptCorrection | undefined;
  /** The keyboard goes back to the table. */
  readonly onLeave: () => void;
}

const judgeAfterMs = 150;

/** A cell as it is typed into, with the engine's verdict. Enter keeps it and goes down, Escape leaves it as it was. */
export function FixInput({ fixing, cell, value, correction, onLeave }: FixInputProps) {
  const { number, header } = cell;
  const [text, setText] = useState(cell.text ?? value);
  const [keeping, setKeeping] = useState<{ of: string; problem?: ApiProblem }>();
  const frame = useRef<HTMLSpanElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const typed = { number, header, value: text };
  const judged = useLoaded(text, async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, judgeAfterMs));
    const options = { method: 'POST', query: { job: fixing.job }, body: typed, signal } as const;
    return await request<CellVerdict>('fixes/verdict', options);
  });
  const id = useId();
  useLayoutEffect(() => {
    input.current?.focus();
    if (cell.text === undefined) input.current?.select();
    turnInward(frame.current);
    // The user may be in the next cell by the time that this one is kept.
    return () => {
      isDone.current = true;
    };
  }, []);

  const leave = (isDown: boolean) => {
    if (isDone.current) return;
    isDone.current = true;
    if (isDown) fixing.goDown(cell);
    else fixing.begin(undefined);
    onLeave();
  };
  const keep = (isDown: boolean) => {
    if (isDone.current || keeping?.of === text) return;
    if (text.trim() === value.trim()) return leave(isDown);
    setKeeping({ of: text });
    fixing.put([typed]).then(
      ([verdict]) => {
        setKeeping(undefined);
        if (verdict?.kind !== 'refused') leave(isDown);
      },
      (error) => setKeeping({ of: '', problem: problemOf(error) }),
    );
  };
  const { value: verdict, isLoading } = judged;
  const problem = keeping?.problem ?? judged.problem;
  const kind = problem ? 'refused' : (verdict?.kind ?? 'same');
  return (
    <span
      ref={frame}
      class="fix-cell"
      onFocusOut={({ relatedTarget }: FocusEvent) => {
        if (relatedTarget instanceof Node && frame.current?.contains(relatedTarget)) return;
        // What would be refused stays to be looked at.
        const isGood = !isLoading && kind !== 'refused';
        if (text.trim() === value.trim()) leave(false);
        else if (isGood) keep(false);
      }}
    >
      <input
        ref={input}
        type="text"
        value={text}
        aria-label={`${header}, row ${number}`}
        aria-describedby={id}
        aria-invalid={kind === 'refused'}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData('text/plain') ?? '';
          if (!/[\n\t]/.test(pasted.trimEnd())) return;
          event.preventDefault();
          fixing.fill(fixing.cellsBelow(cell, pasted));
          leave(false);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') keep(true);
          else if (event.key === 'Escape') leave(false);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class={`verdict ${isLoading ? '' : tones[kind]}`}>
        {!verdict && !problem && <span class="muted late">Checking …</span>}
        <span id={id} role="status">
          {problem ? `${problem.message} ${problem.remedy}` : verdict && words(verdict)}
        </span>
        {correction && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              fixing.takeBack(correction);
              leave(false);
            }}
          >
            Take back: {wasWords(correction)}
          </button>
        )}
      </span>
    </span>
  );
}

const tones = { good: 'matched', back: 'matched', same: 'open', refused: 'failed' } as const;

function words({ kind, text, fix }: CellVerdict): string {
  if (kind === 'back') return '✓ As the list has it: nothing is fixed here.';
  return [kind === 'good' ? '✓' : '', text, fix ?? ''].join(' ').trim();
}

/** Near the lower and right edges of the table the verdict opens towards its middle. */
function turnInward(frame: HTMLElement | null): void {
  const table = frame?.closest('.table-frame')?.getBoundingClientRect();
  const cell = frame?.getBoundingClientRect();
  if (!frame || !table || !cell) return;
  const { classList } = frame;
  classList.toggle('upward', cell.bottom + 150 > table.bottom && cell.top - 150 > table.top);
  classList.toggle('leftward', cell.left + 320 > table.right && cell.right - 320 > table.left);
}
