import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunFacts, RunPlan, WorkbenchSettings } from '../../workbench/api.ts';
import { counted, money } from '../parts/format.ts';

/** `AUD 12.40, possibly AUD 0.36 more`; the number of requests where no price is set. */
export function spentText({ money: spent, possibleMoney, requests, unpriced }: RunFacts): string {
  const amounts = (some: typeof spent) =>
    some.map(({ amount, currency }) => `${currency} ${amount.toFixed(2)}`).join(' + ');
  if (spent.length === 0) return counted(requests, 'request');
  const more = possibleMoney.length === 0 ? '' : `, possibly ${amounts(possibleMoney)} more`;
  const rest = unpriced > 0 ? `, and ${counted(unpriced, 'request')} whose price is not set` : '';
  return `${amounts(spent)}${more}${rest}`;
}

/** What of a plan says what it costs. */
type Cost = Pick<RunPlan, 'price' | 'calls' | 'advisedBudget' | 'sampleData'>;

/** The amount that the user agrees to; the run stops there. */
function limitOf({ price, advisedBudget }: Cost) {
  return { calls: advisedBudget, ...(price && { money: price.withMargin }) };
}

/** The most that it may cost, retries included: `up to AUD 372.48`. Where that is not known: `up to 3,104 lookups, price not set`. */
function costOf({ price, calls, advisedBudget, sampleData }: Cost): string {
  const upTo = (least: number, most: number) => (least === most ? '' : 'up to ');
  if (price) {
    return `${upTo(price.least, price.withMargin)}${money(price.currency, price.withMargin)}`;
  }
  if (!sampleData && advisedBudget > 0)
    return `up to ${counted(advisedBudget, 'lookup')}, price not set`;
  return `${upTo(calls.least, calls.mostIfFull)}${counted(calls.mostIfFull, 'lookup')}`;
}

interface SpendButtonProps {
  readonly words: string;
  /** Undefined while it is counted, null where it cannot be. */
  readonly plan: Cost | null | undefined;
  readonly settings: WorkbenchSettings | undefined;
  readonly isPrimary?: boolean;
  readonly isOff: boolean;
  onStart(atMost: ReturnType<typeof limitOf>): void;
}

/** Shows the most that is spent by pressing it. Above the limit in Settings the user confirms. */
export function SpendButton(props: SpendButtonProps) {
  const { words, plan, settings, isPrimary, isOff, onStart } = props;
  const [isConfirming, setConfirming] = useState(false);
  const no = useRef<HTMLButtonElement>(null);
  // Spending is never where the focus falls by itself.
  useEffect(() => no.current?.focus(), [isConfirming]);
  if (!plan || !isConfirming) {
    const press = () => {
      // The button keeps the keyboard while a price is counted, which a disabled one would lose.
      if (!plan || isOff) return;
      const { confirmAbove = { calls: 0, money: 0 } } = settings ?? {};
      const { calls, money: amount } = limitOf(plan);
      const isMore =
        amount === undefined ? calls > confirmAbove.calls : amount > confirmAbove.money;
      if (isMore) setConfirming(true);
      else onStart(limitOf(plan));
    };
    return (
      <button
        type="button"
        class={isPrimary ? 'primary' : undefined}
        aria-disabled={isOff || !plan}
        onClick={press}
      >
        {plan === null ? words : `${words} · ${plan ? costOf(plan) : 'counting …'}`}
      </button>
    );
  }
  return (
    <div class="notice failed stack" role="alertdialog" aria-labelledby="confirm-title">
      <p id="confirm-title">
        <b>{`This may take ${costOf(plan)}, which is above your limit in Settings.`}</b>
      </p>
      <div class="row">
        <button ref={no} type="button" onClick={() => setConfirming(false)}>
          Not now
        </button>
        <button
          type="button"
          class="failed"
          onClick={() => {
            setConfirming(false);
            onStart(limitOf(plan));
          }}
        >
          {`${plan.price ? 'Spend' : 'Make'} ${costOf(plan)}`}
        </button>
      </div>
    </div>
  );
}
