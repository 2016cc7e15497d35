import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CellVerdict, TableRow } from '../../../workbench/api/answers.ts';
import type { TypedCell } from '../../../workbench/api/requests.ts';
import { type ApiProblem, problemOf, request } from '../../parts/api.ts';
import { Button } from '../../parts/controls.tsx';
import { useLoaded } from '../../parts/load.ts';
import { InlineCode } from '../../parts/text.tsx';
import { type EditedCell, paste, type ShownCorrection, wasWords } from './use-fixing.ts';
import type { Table } from './use-table.ts';

const checkAfterMs = 150;

interface FixProps extends Table {
  cell: EditedCell;
  value: string;
  correction: ShownCorrection | undefined;
  suggestions: TableRow['suggestions'];
}

interface SuggestionsProps {
  suggestions: NonNullable<TableRow['suggestions']>;
  chosen: string | undefined;
  tabIndex?: number;
  onChoose(value: string, isByMouse: boolean): void;
}

/** Companies with one name differ in number, place and status, so each is shown with them. */
export function Suggestions({ suggestions, chosen, tabIndex = 0, onChoose }: SuggestionsProps) {
  return (
    <span class="suggestions" role="toolbar" aria-label="Suggested companies" onKeyDown={moveAlong}>
      {suggestions.map(({ name, value, state, postcode, status, why }) => (
        <button
          key={value}
          type="button"
          tabIndex={tabIndex}
          aria-pressed={value === chosen}
          onClick={({ detail }) => onChoose(value, detail > 0)}
        >
          {value === chosen && '✓ '}
          <bdi>{name}</bdi>
          <small>
            <b>{[state, postcode].filter(Boolean).join(' ') || 'place unknown'}</b>
            {` · ABN ${groupedAbn(value)} · ${why}`}
            {status === 'cancelled' && !why.includes('cancelled') && ' · cancelled'}
          </small>
        </button>
      ))}
    </span>
  );
}

export const groupedAbn = (abn: string) =>
  abn.replace(/^(\d\d)(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4');

function moveAlong(event: KeyboardEvent & { currentTarget: HTMLElement }) {
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const buttons: unknown[] = [...event.currentTarget.children];
  const next = event.currentTarget.children[buttons.indexOf(event.target) + step];
  if (next instanceof HTMLElement) next.focus();
}

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
};

export function FixInput(props: FixProps) {
  const { fixing, cell, value, correction, suggestions } = props;
  const { number, header } = cell;
  const [text, setText] = useState(cell.text ?? value);
  const typed = { number, header, value: text };
  const checked = useLoaded(
    text,
    (signal) =>
      request<CellVerdict>('fixes/verdict', { query: { job: fixing.job }, body: typed, signal }),
    undefined,
    checkAfterMs,
  );
  const { save, leave, problem: notSaved } = useSaving(props, typed);
  const problem = notSaved ?? checked.problem;
  const kind = problem ? 'refused' : (checked.value?.kind ?? 'same');
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current?.focus();
    if (cell.text === undefined) input.current?.select();
  }, []);
  return (
    <span
      class="fix-cell"
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
          save(false, relatedTarget);
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
          paste(fixing, cell, pasted);
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
      <span class={`verdict ${checked.isLoading ? '' : tones[kind]}`}>
        {!checked.value && !problem && <span class="muted late">Checking …</span>}
        <span id={id} role="status">
          <InlineCode
            text={
              problem
                ? `${problem.message} ${problem.remedy}`
                : checked.value
                  ? words(checked.value)
                  : ''
            }
          />
        </span>
        {checked.value?.meant !== undefined && (
          <Button class="plain" onClick={() => setText(checked.value?.meant ?? text)}>
            Use <bdi>{checked.value.meant}</bdi>
          </Button>
        )}
        {suggestions && (
          <Suggestions
            suggestions={suggestions}
            chosen={correction?.now}
            onChoose={(chosen) => {
              fixing.fill([{ ...typed, value: chosen }]);
              leave(true);
            }}
          />
        )}
        {correction && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              fixing.fill([{ ...typed, value: correction.was }]);
              leave(false);
            }}
          >
            Undo: back to {wasWords(correction.was)}
          </button>
        )}
      </span>
    </span>
  );
}

function useSaving({ fixing, focusGrid, cell, value }: FixProps, typed: TypedCell) {
  const [saving, setSaving] = useState<{ of: string; problem?: ApiProblem }>();
  const isDone = useRef(false);
  // Once this input is gone, a finished save must not move the focus.
  useLayoutEffect(
    () => () => {
      isDone.current = true;
    },
    [],
  );
  const leave = (isDown: boolean, focused: EventTarget | null = document.activeElement) => {
    if (isDone.current) return;
    isDone.current = true;
    // Users who clicked elsewhere while the value was saved keep what they clicked.
    const isHere = !(focused instanceof Element) || focused.matches('body, .fix-cell *');
    if (isDown && isHere) fixing.goDown(cell);
    else fixing.begin(undefined);
    if (isHere) focusGrid();
  };
  const save = (isDown: boolean, focused?: EventTarget | null) => {
    if (isDone.current || saving?.of === typed.value) return;
    if (typed.value.trim() === value.trim()) return leave(isDown, focused);
    setSaving({ of: typed.value });
    fixing.put([typed]).then(
      ([verdict]) => {
        setSaving(undefined);
        if (!isDown || verdict?.kind !== 'refused') leave(isDown);
      },
      (error) => setSaving({ of: '', problem: problemOf(error) }),
    );
  };
  return { leave, save, problem: saving?.problem };
}

const tones = { good: 'matched', back: 'matched', same: 'open', refused: 'failed' } as const;

function words({ kind, text, fix }: CellVerdict) {
  if (kind === 'back') return '✓ Same as in the list: nothing to correct.';
  return [kind === 'good' ? '✓' : '', text, fix ?? ''].join(' ').trim();
}
