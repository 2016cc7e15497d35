import { useEffect, useRef, useState } from 'preact/hooks';
import type { FixPrice } from '../../../workbench/api/fixes.ts';
import type { ShownRun } from '../../../workbench/api/runs.ts';
import { count, counted } from '../../parts/text/format.ts';
import { AskOnceMore, costOf, isMore, limitOf } from '../read/price/ask-once-more.tsx';
import { useSettings } from '../settings.tsx';
import { type ApiProblem, ask, problemOf } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { linkTo } from '../shell/route.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { changeChoice } from './use-choice.ts';
import type { Fixing } from './use-fixing.ts';

interface FixBarProps {
  readonly fixing: Fixing;
  /** The newest run of the job. */
  readonly run: ShownRun | null | undefined;
  readonly isRunning: boolean;
  /** The table takes the keyboard. */
  readonly onLeave: () => void;
}

/** What is fixed and not looked up yet: its price, and the ways on and back. */
export function FixBar({ fixing, run, isRunning, onLeave }: FixBarProps) {
  const { job, fixes, waiting, isOn, takeBack } = fixing;
  const { done, forget, begin } = useLookedUp(run, isRunning);
  const { step, cost, problem, press, start, leave } = useLookUp(fixing, isRunning, begin);
  const trouble = problem ?? fixing.problem;
  const shows = useRef<HTMLButtonElement>(null);
  // The keyboard of the button that has looked up goes on here.
  useEffect(() => {
    if (done && document.activeElement === document.body) shows.current?.focus();
  }, [done, waiting.length]);
  if (waiting.length === 0 && !isOn && !done && !trouble) return null;
  const isBusy = step === 'checking' || step === 'starting';
  // It keeps the keyboard while it is counted, which a button that is disabled would lose.
  const isOff = isRunning || isBusy || !cost;
  const rows = new Set(waiting.map(({ key }) => key)).size;
  const lookUpWords = () => {
    if (isRunning) return 'A run is under way';
    if (step === 'checking') return 'Checking the price …';
    if (step === 'starting') return 'Starting …';
    const words = `Look up again: ${counted(cost?.rows ?? rows, 'row', 'rows')}`;
    if (cost) return `${words} · ${costOf(cost.plan)}`;
    return trouble ? words : `${words} · counting …`;
  };
  const showChanged = () => {
    changeChoice({ search: '', facets: { changed: ['yes'] }, row: null, isFixing: false });
    forget();
    onLeave();
  };
  return (
    <section class="fix-bar" aria-label="Fix">
      {isOn && <SetForAll fixing={fixing} />}
      <div class="fix-line">
        <p role="status">
          {done && (
            <b>{`Looked up ${counted(done.rows, 'row', 'rows')} again: ${count(done.found)} found now. `}</b>
          )}
          {fixing.note ||
            (waiting.length > 0
              ? `${counted(waiting.length, 'cell', 'cells')} fixed and kept; not looked up yet.`
              : isOn && !done && firstWords(fixes.corrections.length > 0))}
          {step === 'changed' && <b> The price has changed: check it again.</b>}
        </p>
        <div class="buttons">
          {done && (
            <>
              <button ref={shows} type="button" onClick={showChanged}>
                Show what changed
              </button>
              {!isOn && (
                <button type="button" onClick={forget}>
                  Dismiss
                </button>
              )}
            </>
          )}
          {isOn && (
            <button
              type="button"
              onClick={() => {
                changeChoice({ isFixing: false });
                onLeave();
              }}
            >
              Done
            </button>
          )}
          {waiting.length > 0 && step !== 'above' && (
            <>
              <button type="button" disabled={isBusy} onClick={() => takeBack()}>
                Take back
              </button>
              <button
                type="button"
                class="primary"
                aria-disabled={isOff}
                onClick={() => !isOff && press()}
              >
                {lookUpWords()}
              </button>
            </>
          )}
        </div>
      </div>
      {step === 'above' && cost && (
        <AskOnceMore plan={cost.plan} isStarting={false} onYes={start} onNo={leave} />
      )}
      {trouble && <Problem problem={trouble} />}
      {trouble?.code === 'FIX_NEEDS_RUN' && (
        <p>
          <a href={linkTo({ view: 'read', job })}>See what a run costs</a>
        </p>
      )}
    </section>
  );
}

function firstWords(hasFixed: boolean): string {
  const how = 'Type into a cell and press Enter to go down; paste a column to fill downwards.';
  return hasFixed ? `All fixed cells were looked up. ${how}` : how;
}

/** One value for all rows that are selected, on whichever page they are. */
function SetForAll({
  fixing: { fixes, rows = [], selected, select, fill },
}: {
  readonly fixing: Fixing;
}) {
  const [chosen, setChosen] = useState('');
  const [value, setValue] = useState('');
  const header = chosen || fixes.columns[0]?.header || '';
  const isAll = selected.size === rows.length;
  if (selected.size === 0) return null;
  return (
    <form
      class="fix-line"
      onSubmit={(event) => {
        event.preventDefault();
        fill([...selected].map((number) => ({ number, header, value })));
      }}
    >
      <p>
        {counted(selected.size, 'row', 'rows')} selected{' '}
        <button type="button" class="plain" onClick={() => select(isAll ? [] : rows)}>
          {isAll ? 'Select none' : `Select all ${count(rows.length)}`}
        </button>
      </p>
      <div class="buttons">
        <label>
          Set{' '}
          <select
            aria-label="Column to set"
            value={header}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {fixes.columns.map((column) => (
              <option key={column.header}>{column.header}</option>
            ))}
          </select>
        </label>
        <label>
          to{' '}
          <input
            type="text"
            aria-label="Value for all selected rows"
            value={value}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
        </label>
        <button type="submit">Set in {counted(selected.size, 'row', 'rows')}</button>
      </div>
    </form>
  );
}

/**
 * `checking`: the button was pressed, and the price is counted once more. `changed`: it was another then, and
 * waits for the user. `above`: it is above what the user has set, and is agreed to once more.
 */
type Step = 'ready' | 'checking' | 'changed' | 'above' | 'starting';

/** Looks the fixed rows up, at the price that was shown and no higher. */
function useLookUp({ job, waiting }: Fixing, isRunning: boolean, onBegun: (rows: number) => void) {
  const [step, setStep] = useState<Step>('ready');
  const [problem, setProblem] = useState<ApiProblem>();
  /** Newer than what was counted when the last cell was fixed. */
  const [recounted, setRecounted] = useState<FixPrice>();
  const settings = useSettings();
  const isPriced = waiting.length > 0 && !isRunning;
  const key = JSON.stringify([job, isPriced && waiting]);
  const countCost = (signal?: AbortSignal) =>
    ask<FixPrice>('fixes/price', { query: { job }, ...(signal && { signal }) });
  const price = useLoaded(key, async (signal) => (isPriced ? await countCost(signal) : undefined));
  useEffect(() => {
    setProblem(undefined);
    setRecounted(undefined);
    setStep('ready');
  }, [key]);
  const known = price.isLoading || price.problem ? undefined : price.value;
  const cost = recounted ?? known;
  const fail = (error: unknown) => {
    setStep('ready');
    setProblem(problemOf(error));
  };
  const start = async ({ rows, plan }: FixPrice) => {
    setStep('starting');
    // A run that would need more stops there, whatever happens until it begins.
    const body = { atMost: limitOf(plan) };
    await ask('fixes/run', { method: 'POST', query: { job }, body });
    onBegun(rows);
  };
  const wordsOf = ({ rows, plan }: FixPrice) => `${rows} ${costOf(plan)}`;
  /** Another run may have found answers since, or answers may have grown old. */
  const check = async (shown: FixPrice) => {
    setStep('checking');
    setProblem(undefined);
    const now = await countCost();
    setRecounted(now);
    if (wordsOf(now) !== wordsOf(shown)) setStep('changed');
    else if (isMore(now.plan, settings.value)) setStep('above');
    else await start(now);
  };
  return {
    ...{ step, cost, problem: problem ?? price.problem },
    press: () => void (cost && check(cost).catch(fail)),
    start: () => void (cost && start(cost).catch(fail)),
    leave: () => setStep('ready'),
  };
}

/** Tells what came of the fixed rows as soon as they were looked up. */
function useLookedUp(run: ShownRun | null | undefined, isRunning: boolean) {
  /** The run that was the newest when they were looked up. */
  const [before, setBefore] = useState<{ run: string; rows: number; found: number }>();
  const [done, setDone] = useState<{ rows: number; found: number }>();
  useEffect(() => {
    if (!before || isRunning || !run || run.run === before.run) return;
    const { complete, held, rows } = run;
    if (complete && !held) setDone({ rows: before.rows, found: rows.matched - before.found });
    setBefore(undefined);
  }, [before, isRunning, run?.run, run?.state]);
  return {
    done,
    forget: () => setDone(undefined),
    begin(rows: number) {
      setDone(undefined);
      if (run) setBefore({ run: run.run, rows, found: run.rows.matched });
    },
  };
}
