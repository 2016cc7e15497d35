import { useState } from 'preact/hooks';
import type { JobState } from '../../../../workbench/api/job-state.ts';
import type { ListRead } from '../../../../workbench/api/list-read.ts';
import type { MadeJob } from '../../../../workbench/api/lists.ts';
import type { RunPlan } from '../../../../workbench/api/plan.ts';
import type { WorkbenchSettings } from '../../../../workbench/api/settings.ts';
import { InlineCode } from '../../../parts/text/inline-code.tsx';
import { type ApiProblem, ask, problemOf } from '../../shell/api.ts';
import { Problem } from '../../shell/problem.tsx';
import { goTo, linkTo } from '../../shell/route.ts';
import { useLoaded } from '../../shell/use-loaded.ts';
import { NumberField } from '../fields/number-field.tsx';
import { AskOnceMore, costOf, isMore } from './ask-once-more.tsx';

interface StartRunProps {
  readonly read: ListRead;
  /** Undefined while it is being counted. */
  readonly plan: RunPlan | undefined;
  /** Grows when the job may stand elsewhere than before. */
  readonly version: number;
}

const rowsOfTry = 10;

/** Trying ten rows, and running the list; a spend above what the user has set asks once more. */
export function StartRun({ read, plan, version }: StartRunProps) {
  const { job } = read;
  const [problem, setProblem] = useState<ApiProblem>();
  const [isStarting, setIsStarting] = useState(false);
  const [asking, setAsking] = useState<'try' | 'run'>();
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
    try: firstRows.isLoading || firstRows.problem ? undefined : firstRows.value,
  };
  const start = async (what: 'try' | 'run') => {
    setProblem(undefined);
    setIsStarting(true);
    try {
      const made = await ask<MadeJob>('job', { method: 'POST', query: { job } });
      // What was agreed to is the most that is spent; a list that has grown meanwhile is asked about again.
      const atMost = plans[what]?.advisedBudget;
      const body = what === 'try' ? { limit: rowsOfTry, atMost } : { atMost };
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
  const press = (what: 'try' | 'run') => {
    const cost = plans[what];
    // The buttons keep the keyboard while a price is counted, which disabled ones would lose.
    if (!cost || isStarting) return;
    if (isMore(cost, settings.value)) setAsking(what);
    else void start(what);
  };
  const asked = asking && plans[asking];
  return (
    <div class="start">
      {asking && asked ? (
        <AskOnceMore
          plan={asked}
          isStarting={isStarting}
          onYes={() => void start(asking)}
          onNo={() => setAsking(undefined)}
        />
      ) : (
        <div class="buttons">
          <button
            type="button"
            aria-disabled={isStarting || !plans.try}
            onClick={() => press('try')}
          >
            {plans.try ? `Try ten rows · ${costOf(plans.try)}` : tryWords(firstRows.isLoading)}
          </button>
          <button
            type="button"
            class="primary"
            aria-disabled={isStarting || !plan}
            onClick={() => press('run')}
          >
            {plan ? `Run · ${costOf(plan)}` : 'Run · counting …'}
          </button>
        </div>
      )}
      {problem && <Problem problem={problem} />}
      {settings.value && plan && !read.service.isSample && (
        <AskAbove settings={settings.value} plan={plan} onSet={settings.save} />
      )}
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
        A run of this job is under way: <a href={linkTo({ view: 'result', job })}>watch it</a>. What
        you choose here holds for the next one.
      </span>
    </p>
  );
}

/** How to give a key, in place of buttons that could only fail. */
function NoKey() {
  return (
    <div class="start" role="note">
      <p>
        <b>There is no key, so nothing can be asked.</b>
      </p>
      <p>
        <InlineCode text="Stop `dossier ui` with Ctrl-C, set `DOSSIER_API_KEY` in that terminal and start it again; or name a file that holds the key as `service.keyFile` in the job. A key is never typed into this page." />
      </p>
    </div>
  );
}

interface AskAboveProps {
  readonly settings: WorkbenchSettings;
  readonly plan: RunPlan;
  onSet(settings: WorkbenchSettings): void;
}

function AskAbove({ settings, plan, onSet }: AskAboveProps) {
  const { askAbove } = settings;
  const unit = plan.price ? 'money' : 'calls';
  return (
    <NumberField
      label={`Ask once more above, in ${plan.price?.currency ?? 'calls'}`}
      value={askAbove[unit]}
      min={0}
      step={plan.price ? 'any' : 1}
      onSet={(above) => onSet({ askAbove: { ...askAbove, [unit]: above ?? 0 } })}
    />
  );
}

export function useSettings() {
  const loaded = useLoaded('', (signal) => ask<WorkbenchSettings>('settings', { signal }));
  const save = (settings: WorkbenchSettings) => {
    void ask('settings', { method: 'PUT', body: settings }).finally(loaded.reload);
  };
  return { value: loaded.value, save };
}
