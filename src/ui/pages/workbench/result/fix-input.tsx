import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CellVerdict } from '../../../workbench/api.ts';
import { type ApiProblem, problemOf, request } from '../../parts/api.ts';
import { useLoaded } from '../../parts/load.ts';
import { type Correction, type EditedCell, type Fixing, wasWords } from './use-fixing.ts';

const judgeAfterMs = 150;

export function FixInput({
  fixing,
  cell,
  value,
  correction,
  onLeave,
}: {
  fixing: Fixing;
  cell: EditedCell;
  value: string;
  correction: Correction | undefined;
  onLeave: () => void;
}) {
  const { number, header } = cell;
  const [text, setText] = useState(cell.text ?? value);
  const [saving, setSaving] = useState<{ of: string; problem?: ApiProblem }>();
  const frame = useRef<HTMLSpanElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const typed = { number, header, value: text };
  const judged = useLoaded(text, async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, judgeAfterMs));
    const query = { job: fixing.job };
    return await request<CellVerdict>('fixes/verdict', { query, body: typed, signal });
  });
  const id = useId();
  useLayoutEffect(() => {
    input.current?.focus();
    if (cell.text === undefined) input.current?.select();
    // Once this input is gone, a finished save must not move the focus.
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
  const save = (isDown: boolean) => {
    if (isDone.current || saving?.of === text) return;
    if (text.trim() === value.trim()) return leave(isDown);
    setSaving({ of: text });
    fixing.put([typed]).then(
      ([verdict]) => {
        setSaving(undefined);
        if (!isDown || verdict?.kind !== 'refused') leave(isDown);
      },
      (error) => setSaving({ of: '', problem: problemOf(error) }),
    );
  };
  const { value: verdict, isLoading } = judged;
  const problem = saving?.problem ?? judged.problem;
  const kind = problem ? 'refused' : (verdict?.kind ?? 'same');
  return (
    <span
      ref={frame}
      class="fix-cell"
      onFocusOut={({ relatedTarget }: FocusEvent) => {
        if (relatedTarget instanceof Node && frame.current?.contains(relatedTarget)) return;
        save(false);
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
          if (event.key === 'Enter') save(true);
          else if (event.key === 'Escape') {
            fixing.forget(cell);
            leave(false);
          } else return;
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
              fixing.fill([{ ...typed, value: correction.was }]);
              leave(false);
            }}
          >
            Undo: back to {wasWords(correction)}
          </button>
        )}
      </span>
    </span>
  );
}

const tones = { good: 'matched', back: 'matched', same: 'open', refused: 'failed' } as const;

function words({ kind, text, fix }: CellVerdict): string {
  if (kind === 'back') return '✓ Same as in the list: nothing to correct.';
  return [kind === 'good' ? '✓' : '', text, fix ?? ''].join(' ').trim();
}
