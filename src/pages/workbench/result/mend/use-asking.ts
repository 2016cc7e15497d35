import { useEffect, useState } from 'preact/hooks';
import type { KeptCorrection, MendPrice } from '../../../../workbench/api/mended.ts';
import { costOf, isMore } from '../../read/price/ask-once-more.tsx';
import { useSettings } from '../../read/price/start-run.tsx';
import { type ApiProblem, ask, problemOf } from '../../shell/api.ts';
import { useLoaded } from '../../shell/use-loaded.ts';

/**
 * `checking`: the button was pressed, and the price is counted once more. `changed`: it was another then, and
 * waits for the user. `above`: it is above what the user has set, and is agreed to once more.
 */
type Step = 'ready' | 'checking' | 'changed' | 'above' | 'starting';

export interface Asking {
  readonly step: Step;
  /** Undefined while it is counted. */
  readonly cost: MendPrice | undefined;
  readonly problem: ApiProblem | undefined;
  /** The button was pressed. */
  press(): void;
  start(): void;
  leave(): void;
}

/** Asks for the mended rows, at the price that was shown and no higher. */
export function useAsking(
  job: string,
  waiting: readonly KeptCorrection[],
  isRunning: boolean,
  onAsked: (rows: number) => void,
): Asking {
  const [step, setStep] = useState<Step>('ready');
  const [problem, setProblem] = useState<ApiProblem>();
  /** Newer than what was counted when the last cell was mended. */
  const [counted, setCounted] = useState<MendPrice>();
  const settings = useSettings();
  const isPriced = waiting.length > 0 && !isRunning;
  const key = JSON.stringify([job, isPriced && waiting]);
  const count = (signal?: AbortSignal) =>
    ask<MendPrice>('mended/price', { query: { job }, ...(signal && { signal }) });
  const price = useLoaded(key, async (signal) => (isPriced ? await count(signal) : undefined));
  useEffect(() => {
    setProblem(undefined);
    setCounted(undefined);
    setStep('ready');
  }, [key]);
  const known = price.isLoading || price.problem ? undefined : price.value;
  const cost = counted ?? known;
  const fail = (error: unknown) => {
    setStep('ready');
    setProblem(problemOf(error));
  };
  const start = async ({ rows, plan }: MendPrice) => {
    setStep('starting');
    // A run that would need more stops there, whatever happens until it begins.
    const body = { atMost: plan.advisedBudget };
    await ask('mended/ask', { method: 'POST', query: { job }, body });
    onAsked(rows);
  };
  /** Another run may have found answers since, or answers may have grown old. */
  const check = async (shown: MendPrice) => {
    setStep('checking');
    setProblem(undefined);
    const now = await count();
    setCounted(now);
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

function wordsOf({ rows, plan }: MendPrice): string {
  return `${rows} ${costOf(plan)}`;
}
