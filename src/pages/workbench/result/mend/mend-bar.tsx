import { counted } from '../../../parts/text/format.ts';
import { AskOnceMore, costOf } from '../../read/price/ask-once-more.tsx';
import type { ApiProblem } from '../../shell/api.ts';
import { Problem } from '../../shell/problem.tsx';
import { linkTo } from '../../shell/route.ts';
import { type Asking, useAsking } from './use-asking.ts';
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
  const asking = useAsking(job, waiting, isRunning, onAsked);
  const { step, cost } = asking;
  const trouble = asking.problem ?? mending.problem;
  if (waiting.length === 0 && !isOn)
    return mending.problem ? <Trouble {...{ job }} problem={mending.problem} /> : null;
  const rows = new Set(waiting.map((one) => one.key)).size;
  const isBusy = step === 'checking' || step === 'starting';
  // It keeps the keyboard while it is counted, which a button that is disabled would lose.
  const cannotAsk = isRunning || isBusy || !cost;
  return (
    <section class="mend-bar" aria-label="Mended">
      <div class="mend-line">
        <p role="status">
          {waiting.length === 0
            ? `${mended.corrections.length > 0 ? 'All that is mended was asked for. To mend more' : 'Nothing is mended yet'}: click a cell, or press Enter on it.`
            : `${counted(waiting.length, 'cell', 'cells')} mended and kept; not asked for yet.`}
          {step === 'changed' && <b> The price has changed since: look at it again.</b>}
        </p>
        {waiting.length > 0 && step !== 'above' && (
          <div class="buttons">
            <button type="button" disabled={isBusy} onClick={() => takeBack()}>
              Take back
            </button>
            <button
              type="button"
              class="primary"
              aria-disabled={cannotAsk}
              onClick={() => !cannotAsk && asking.press()}
            >
              {isRunning ? 'A run is under way' : askWords(rows, asking)}
            </button>
          </div>
        )}
      </div>
      {step === 'above' && cost && (
        <AskOnceMore plan={cost.plan} isStarting={false} onYes={asking.start} onNo={asking.leave} />
      )}
      {trouble && <Trouble job={job} problem={trouble} />}
    </section>
  );
}

/** `Ask again for 3 rows · AUD 0.36` */
function askWords(rows: number, { step, cost, problem }: Asking): string {
  if (step === 'checking') return 'Looking at the price …';
  if (step === 'starting') return 'Starting …';
  const words = `Ask again for ${counted(cost?.rows ?? rows, 'row', 'rows')}`;
  if (cost) return `${words} · ${costOf(cost.plan)}`;
  return problem ? words : `${words} · counting …`;
}

function Trouble({ job, problem }: { readonly job: string; readonly problem: ApiProblem }) {
  return (
    <>
      <Problem problem={problem} />
      {problem.code === 'FIX_NEEDS_RUN' && (
        <p>
          <a href={linkTo({ view: 'read', job })}>See what a run costs</a>
        </p>
      )}
    </>
  );
}
