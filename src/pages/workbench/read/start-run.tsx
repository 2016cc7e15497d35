import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobState } from '../../../workbench/api/job-state.ts';
import type { ListRead } from '../../../workbench/api/list-read.ts';
import type { MadeJob } from '../../../workbench/api/lists.ts';
import type { RunPlan } from '../../../workbench/api/plan.ts';
import type { WorkbenchSettings } from '../../../workbench/api/settings.ts';
import { counted } from '../../parts/text/format.ts';
import { InlineCode } from '../../parts/text/inline-code.tsx';
import { type ApiProblem, ask, problemOf } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { goTo, linkTo } from '../shell/route.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { money } from './money.ts';
import { NumberField } from './number-field.tsx';

interface StartRunProps {
  readonly read: ListRead;
  /** Undefined while it is being counted. */
  readonly plan: RunPlan | undefined;
  /** Grows when the job may stand elsewhere than before. */
  readonly version: number;
}

/** Trying ten rows, and running the list; a spend above what the user has set asks once more. */
export function StartRun({ read, plan, version }: StartRunProps) {
  const [problem, setProblem] = useState<ApiProblem>();
  const [isStarting, setIsStarting] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const settings = useSettings();
  const { value: state } = useLoaded(`${read.job} ${version}`, (signal) =>
    ask<JobState>('state', { query: { job: read.job }, signal }),
  );
  const start = async (limit?: number) => {
    setProblem(undefined);
    setIsStarting(true);
    try {
      const { job } = await ask<MadeJob>('job', { method: 'POST', query: { job: read.job } });
      // What was agreed to is the most that is spent; a list that has grown meanwhile is asked about again.
      const body = limit === undefined ? { atMost: plan?.advisedBudget } : { limit };
      await ask('run', { method: 'POST', query: { job }, body });
      goTo({ view: 'result', job });
    } catch (error) {
      setProblem(problemOf(error));
      setIsStarting(false);
      setIsAsking(false);
    }
  };
  if (state?.isRunning) return <UnderWay job={read.job} />;
  if (!read.service.hasKey) return <NoKey />;
  const isAbove = plan !== undefined && isMore(plan, settings.value);
  return (
    <div class="start">
      {isAsking && plan ? (
        <AskOnceMore
          plan={plan}
          isStarting={isStarting}
          onYes={() => void start()}
          onNo={() => setIsAsking(false)}
        />
      ) : (
        <div class="buttons">
          <button type="button" disabled={isStarting} onClick={() => void start(10)}>
            Try ten rows
          </button>
          <button
            type="button"
            class="primary"
            disabled={isStarting || !plan}
            onClick={() => (isAbove ? setIsAsking(true) : void start())}
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

/** What of a plan says what it costs. */
type Cost = Pick<RunPlan, 'price' | 'calls'>;

interface AskOnceMoreProps {
  readonly plan: Cost;
  readonly isStarting: boolean;
  onYes(): void;
  onNo(): void;
}

export function AskOnceMore({ plan, isStarting, onYes, onNo }: AskOnceMoreProps) {
  const no = useRef<HTMLButtonElement>(null);
  // Spending is never where the focus falls by itself.
  useEffect(() => no.current?.focus(), []);
  return (
    <div class="ask" role="alertdialog" aria-labelledby="ask-title">
      <p id="ask-title">
        <b>{`This may take ${costOf(plan)}, which is above what you want to be asked for.`}</b>
      </p>
      <div class="buttons">
        <button ref={no} type="button" onClick={onNo}>
          Not now
        </button>
        <button type="button" class="danger" disabled={isStarting} onClick={onYes}>
          {plan.price ? `Spend ${costOf(plan)}` : `Make ${costOf(plan)}`}
        </button>
      </div>
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

export function isMore({ price, calls }: Cost, settings: WorkbenchSettings | undefined): boolean {
  const { askAbove = { calls: 0, money: 0 } } = settings ?? {};
  return price ? price.mostIfFull > askAbove.money : calls.mostIfFull > askAbove.calls;
}

/** `3,104 calls`, or the most that it may cost: `AUD 372.48`. */
export function costOf({ price, calls }: Cost): string {
  const upTo = (least: number, most: number) => (least === most ? '' : 'up to ');
  if (price) {
    return `${upTo(price.least, price.mostIfFull)}${money(price.currency, price.mostIfFull)}`;
  }
  return `${upTo(calls.least, calls.mostIfFull)}${counted(calls.mostIfFull, 'call', 'calls')}`;
}
