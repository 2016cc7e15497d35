import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../../../core/values/format.ts';
import { formatMoney, formatSpent } from '../../../core/values/money.ts';
import type { RunFacts, RunPlan } from '../../workbench/api/answers.ts';

export function spentText(run: RunFacts): string {
  return run.sampleData ? 'sample data' : formatSpent(run) || 'no calls';
}

/** `AUD 32.64`; empty if nothing was charged. */
export function spentByAll(runs: readonly RunFacts[]): string {
  const real = runs.filter(({ sampleData }) => !sampleData);
  return formatSpent({
    money: sums(real.flatMap(({ money }) => money)),
    possibleMoney: sums(real.flatMap(({ possibleMoney }) => possibleMoney)),
    unpriced: real.reduce((sum, { unpriced }) => sum + unpriced, 0),
  });
}

function sums(amounts: RunFacts['money']): RunFacts['money'] {
  return [...Map.groupBy(amounts, ({ currency }) => currency)].map(([currency, some]) => ({
    currency,
    amount: some.reduce((sum, { amount }) => sum + amount, 0),
  }));
}

/** The run stops at this limit. */
function limitOf({ price, calls }: RunPlan) {
  return { calls: calls.most, ...(price && { money: price.most }) };
}

export function isBudgetSpent({ calls }: Pick<RunPlan, 'calls'>) {
  return calls.most === 0 && calls.companies > 0;
}

/** `up to AUD 372.48` or `up to 3,104 calls, price not set` */
function costOf(plan: RunPlan) {
  const { price, priceWithoutPeople: known, calls, sampleData } = plan;
  if (isBudgetSpent(plan)) return 'the budget is spent';
  if (calls.most === 0) return 'no calls needed';
  const upTo = (expected: number | null, most: number) => (expected === most ? '' : 'up to ');
  if (price) return upTo(price.expected, price.most) + formatMoney(price.currency, price.most);
  const several = upToText(plan);
  if (several) return several;
  if (known) return knownText(known);
  const unpriced = sampleData ? '' : ', price not set';
  return `${upTo(calls.expected, calls.most)}${counted(calls.most, 'call')}${unpriced}`;
}

/** `AUD 0.60 + up to 136 people pages, price not set` */
export function knownText({ currency, most, pages }: NonNullable<RunPlan['priceWithoutPeople']>) {
  return `${formatMoney(currency, most)} + up to ${counted(pages, 'people page')}, price not set`;
}

/** `up to AUD 4.80 + USD 3.00`: currencies are never added up. Empty if a price is not set. */
export function upToText({ services = [] }: Pick<RunPlan, 'services'>) {
  const prices = services.flatMap(({ price }) => price ?? []);
  if (prices.length === 0 || prices.length < services.length) return '';
  const most = sums(prices.map(({ currency, most: amount }) => ({ currency, amount })));
  return `up to ${most.map(({ currency, amount }) => formatMoney(currency, amount)).join(' + ')}`;
}

export function SpendButton(props: {
  words: string;
  /** Undefined while the plan is being made, null after an error. */
  plan: RunPlan | null | undefined;
  isPrimary?: boolean;
  isOff: boolean;
  onStart(atMost: ReturnType<typeof limitOf>): void;
}) {
  const { words, plan, isPrimary, onStart } = props;
  const isOff = props.isOff || !plan || isBudgetSpent(plan);
  const [isConfirming, setConfirming] = useState(false);
  const no = useRef<HTMLButtonElement>(null);
  // “Not now” has the focus, so the Enter key does not spend money by accident.
  useEffect(() => no.current?.focus(), [isConfirming]);
  if (!plan || !isConfirming) {
    const press = () => {
      // Ignored instead of disabled, because a disabled button would lose the keyboard focus.
      if (!plan || isOff) return;
      if (plan.confirm) setConfirming(true);
      else onStart(limitOf(plan));
    };
    return (
      <button
        type="button"
        class={isPrimary ? 'primary' : undefined}
        aria-disabled={isOff}
        onClick={press}
      >
        {plan === null ? words : `${words} · ${plan ? costOf(plan) : 'counting …'}`}
      </button>
    );
  }
  return (
    <div class="notice failed stack" role="alertdialog" aria-labelledby="confirm-title">
      <p id="confirm-title">
        <b>
          This may {plan.price || plan.priceWithoutPeople ? 'cost' : 'make'} {costOf(plan)}, above
          your limit in Settings.
        </b>
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
          {plan.price ? `Spend ${costOf(plan)}` : 'Start at unknown cost'}
        </button>
      </div>
    </div>
  );
}
