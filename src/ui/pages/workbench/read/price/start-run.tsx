import { useState } from 'preact/hooks';
import type { ListRead, MadeJob } from '../../../../workbench/api/lists.ts';
import type { JobState, RunPlan } from '../../../../workbench/api/runs.ts';
import { InlineCode } from '../../../parts/text/inline-code.tsx';
import { useSettings } from '../../settings.tsx';
import { type ApiProblem, ask, problemOf } from '../../shell/api.ts';
import { Problem } from '../../shell/problem.tsx';
import { goTo, linkTo } from '../../shell/route.ts';
import { useLoaded } from '../../shell/use-loaded.ts';
import { AskOnceMore, costOf, isMore, limitOf } from './ask-once-more.tsx';

interface StartRunProps {
  readonly read: ListRead;
  /** Undefined while it is being counted. */
  readonly plan: RunPlan | undefined;
  /** Grows when the job may stand elsewhere than before. */
  readonly version: number;
}

const rowsOfTry = 10;

/** `accept` runs a list that was held. */
type What = 'try' | 'run' | 'accept';

/** Trying ten rows, and running the list; a spend above what the user has set asks once more. */
export function StartRun({ read, plan, version }: StartRunProps) {
  const { job } = read;
  const [problem, setProblem] = useState<ApiProblem>();
  const [isStarting, setIsStarting] = useState(false);
  const [asking, setAsking] = useState<What>();
  const settings = useSettings();
  const key = `${job} ${version}`;
  const { value: state } = useLoaded(key, (signal) =>
    ask<JobState>('state', { query: { job }, signal }),
  );
  const firstRows = useLoaded(key, (signal) =>
    ask<RunPlan>('plan', { query: { job, limit: rowsOfTry }, signal }),
  );
  const plans = {
    run: plan,
    accept: plan,
    try: firstRows.isLoading || firstRows.problem ? undefined : firstRows.value,
  };
  const start = async (what: What) => {
    setProblem(undefined);
    setIsStarting(true);
    try {
      const made = await ask<MadeJob>('job', { method: 'POST', query: { job } });
      // What was agreed to is the most that is spent; a list that has grown meanwhile is asked about again.
      const agreed = plans[what];
      const atMost = agreed && limitOf(agreed);
      const body = {
        atMost,
        accept: what === 'accept',
        ...(what === 'try' && { limit: rowsOfTry }),
      };
      await ask('run', { method: 'POST', query: { job: made.job }, body });
      goTo({ view: 'result', job: made.job });
    } catch (error) {
      setProblem(problemOf(error));
      setIsStarting(false);
      setAsking(undefined);
    }
  };
  if (state?.isRunning) return <UnderWay job={job} />;
  if (!read.service.hasKey) return <NoKey />;
  const isIdle = isStarting || read.rowsSeen === 0;
  const isHeld = state?.ended?.reason === 'LIST_HELD';
  const press = (what: What) => {
    const cost = plans[what];
    // The buttons keep the keyboard while a price is counted, which disabled ones would lose.
    if (!cost || isStarting || (isIdle && what !== 'accept')) return;
    if (isMore(cost, settings.value)) setAsking(what);
    else void start(what);
  };
  const asked = asking && plans[asking];
  return (
    <div class="start" id="run" tabIndex={-1}>
      {asking && asked ? (
        <AskOnceMore
          plan={asked}
          isStarting={isStarting}
          onYes={() => void start(asking)}
          onNo={() => setAsking(undefined)}
        />
      ) : (
        <div class="buttons">
          <button type="button" aria-disabled={isIdle || !plans.try} onClick={() => press('try')}>
            {plans.try ? `Try ten rows · ${costOf(plans.try)}` : tryWords(firstRows.isLoading)}
          </button>
          <button
            type="button"
            class="primary"
            aria-disabled={isIdle || !plan}
            onClick={() => press('run')}
          >
            {plan ? `Run · ${costOf(plan)}` : 'Run · counting …'}
          </button>
          {isHeld && plan && (
            <button type="button" aria-disabled={isStarting} onClick={() => press('accept')}>
              {`The list is right: run it · ${costOf(plan)}`}
            </button>
          )}
        </div>
      )}
      {problem && <Problem problem={problem} />}
    </div>
  );
}

function tryWords(isLoading: boolean): string {
  return isLoading ? 'Try ten rows · counting …' : 'Try ten rows';
}

function UnderWay({ job }: { readonly job: string }) {
  return (
    <p class="start" role="note">
      <span>
        A run of this list is under way: <a href={linkTo({ view: 'result', job })}>watch it</a>.
        What you choose here holds for the next one.
      </span>
    </p>
  );
}

/** How to give a key, in place of buttons that could only fail. */
function NoKey() {
  return (
    <div class="start" role="note">
      <p>
        <b>There is no key, so nothing can be looked up.</b>
      </p>
      <p>
        <InlineCode text="Stop `dossier ui` with Ctrl-C, set `DOSSIER_API_KEY` in that terminal and start it again; or name a file that holds the key as `service.keyFile` in the job. A key is never typed into this page." />
      </p>
    </div>
  );
}
