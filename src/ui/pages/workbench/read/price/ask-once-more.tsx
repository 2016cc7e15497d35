import { useEffect, useRef } from 'preact/hooks';
import type { WorkbenchSettings } from '../../../../workbench/api/lists.ts';
import type { RunPlan } from '../../../../workbench/api/runs.ts';
import { counted } from '../../../parts/text/format.ts';
import { money } from './money.ts';

/** What of a plan says what it costs. */
export type Cost = Pick<RunPlan, 'price' | 'calls' | 'advisedBudget' | 'sampleData'>;

interface AskOnceMoreProps {
  readonly plan: Cost;
  readonly isStarting: boolean;
  onYes(): void;
  onNo(): void;
}

/** A spend above what the user has set is agreed to once more. */
export function AskOnceMore({ plan, isStarting, onYes, onNo }: AskOnceMoreProps) {
  const no = useRef<HTMLButtonElement>(null);
  // Spending is never where the focus falls by itself.
  useEffect(() => no.current?.focus(), []);
  return (
    <div class="ask" role="alertdialog" aria-labelledby="ask-title">
      <p id="ask-title">
        <b>{`This may take ${costOf(plan)}, which is above your limit in Settings.`}</b>
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

export function isMore(cost: Cost, settings: WorkbenchSettings | undefined): boolean {
  const { confirmAbove = { calls: 0, money: 0 } } = settings ?? {};
  const { calls, money: amount } = limitOf(cost);
  return amount === undefined ? calls > confirmAbove.calls : amount > confirmAbove.money;
}

/** What the user agrees to by pressing the button; the run stops there. */
export function limitOf({ price, advisedBudget }: Cost) {
  return { calls: advisedBudget, ...(price && { money: price.withMargin }) };
}

/** The most that it may cost, retries included: `up to AUD 372.48`. Where that is not known: `up to 3,104 lookups, price not set`. */
export function costOf({ price, calls, advisedBudget, sampleData }: Cost): string {
  const upTo = (least: number, most: number) => (least === most ? '' : 'up to ');
  if (price) {
    return `${upTo(price.least, price.withMargin)}${money(price.currency, price.withMargin)}`;
  }
  if (!sampleData && advisedBudget > 0)
    return `up to ${counted(advisedBudget, 'lookup', 'lookups')}, price not set`;
  return `${upTo(calls.least, calls.mostIfFull)}${counted(calls.mostIfFull, 'lookup', 'lookups')}`;
}
