import { useEffect, useState } from 'preact/hooks';
import type { MendPrice } from '../../../../workbench/api/mended.ts';
import { counted } from '../../../parts/text/format.ts';
import { AskOnceMore, costOf, isMore, useSettings } from '../../read/start-run.tsx';
import { type ApiProblem, ask, problemOf } from '../../shell/api.ts';
import { Problem } from '../../shell/problem.tsx';
import { linkTo } from '../../shell/route.ts';
import { useLoaded } from '../../shell/use-loaded.ts';
import { type Mending, notAsked } from './use-mending.ts';

interface MendBarProps {
  readonly mending: Mending;
  /** The table shows rejected rows. */
  readonly isOn: boolean;
  readonly isRunning: boolean;
  /** The mended rows are being asked for. */
  readonly onAsked: (rows: number) => void;
}

/** What is mended and not asked for yet: its price, and the ways on and back. */
export function MendBar({ mending, isOn, isRunning, onAsked }: MendBarProps) {
  const { job, mended, takeBack } = mending;
  const waiting = notAsked(mended);
  const [problem, setProblem] = useState<ApiProblem>();
  const [isStarting, setStarting] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const settings = useSettings();
  const isPriced = waiting.length > 0 && !isRunning;
  const key = JSON.stringify([job, isPriced && waiting]);
  const price = useLoaded(key, async (signal) =>
    isPriced ? await ask<MendPrice>('mended/price', { query: { job }, signal }) : undefined,
  );
  useEffect(() => {
    setProblem(undefined);
    setAsking(false);
  }, [key]);
  useEffect(() => setStarting(false), [isRunning]);
  const start = () => {
    setStarting(true);
    setProblem(undefined);
    ask('mended/ask', { method: 'POST', query: { job } }).then(
      () => onAsked(cost?.rows ?? rows),
      (error) => {
        setStarting(false);
        setProblem(problemOf(error));
      },
    );
  };
  const trouble = problem ?? mending.problem ?? price.problem;
  if (waiting.length === 0 && !isOn)
    return mending.problem ? <Trouble {...{ job }} problem={mending.problem} /> : null;
  const cost = price.isLoading || price.problem ? undefined : price.value;
  const rows = new Set(waiting.map((one) => one.key)).size;
  return (
    <section class="mend-bar" aria-label="Mended">
      <div class="mend-line">
        <p role="status">
          {waiting.length === 0
            ? 'Nothing is mended yet: click a cell, or press Enter on it.'
            : `${counted(waiting.length, 'cell', 'cells')} mended in ${counted(rows, 'row', 'rows')}; kept, and not asked for yet.`}
        </p>
        {waiting.length > 0 && !isAsking && (
          <div class="buttons">
            <button type="button" disabled={isStarting} onClick={() => takeBack()}>
              Take back
            </button>
            <button
              type="button"
              class="primary"
              disabled={isRunning || isStarting || !cost}
              onClick={() =>
                cost && isMore(cost.plan, settings.value) ? setAsking(true) : start()
              }
            >
              {isRunning && 'A run is under way'}
              {!isRunning && isStarting && 'Starting …'}
              {!isRunning && !isStarting && askWords(rows, cost, price.problem !== undefined)}
            </button>
          </div>
        )}
      </div>
      {isAsking && cost && (
        <AskOnceMore
          plan={cost.plan}
          isStarting={isStarting}
          onYes={start}
          onNo={() => setAsking(false)}
        />
      )}
      {trouble && <Trouble job={job} problem={trouble} />}
    </section>
  );
}

/** `Ask again for 3 rows · AUD 0.36` */
function askWords(rows: number, cost: MendPrice | undefined, hasFailed: boolean): string {
  const words = `Ask again for ${counted(cost?.rows ?? rows, 'row', 'rows')}`;
  if (cost) return `${words} · ${costOf(cost.plan)}`;
  return hasFailed ? words : `${words} · counting …`;
}

function Trouble({ job, problem }: { readonly job: string; readonly problem: ApiProblem }) {
  return (
    <>
      <Problem problem={problem} />
      {problem.code === 'MEND_NEEDS_RUN' && (
        <p>
          <a href={linkTo({ view: 'read', job })}>See what a run costs</a>
        </p>
      )}
    </>
  );
}
