import { useEffect, useRef } from 'preact/hooks';
import type { RunPlan } from '../../../../workbench/api/plan.ts';
import type { WorkbenchSettings } from '../../../../workbench/api/settings.ts';
import { counted } from '../../../parts/text/format.ts';
import { money } from './money.ts';

/** What of a plan says what it costs. */
export type Cost = Pick<RunPlan, 'price' | 'calls'>;

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
