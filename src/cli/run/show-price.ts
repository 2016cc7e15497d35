import { DossierError } from '../../core/errors.ts';
import { counted } from '../../core/values/format.ts';
import { formatMoney } from '../../core/values/money.ts';
import { isHigh } from '../../facts/plan.ts';
import type { JobService, ResolvedJob } from '../../job/resolved-job.ts';
import type { StartBudget } from '../../run/calls/start-budget.ts';
import { type Estimate, type ServiceEstimate, termsOfCalls } from '../../run/estimate-run.ts';
import { leastText, unknownYet } from '../../ui/words/expected.ts';
import { isConfirmed, mayAsk } from '../terminal/ask.ts';
import { cappedText, serviceCalls, sharedPages } from '../terminal/text.ts';

const answerWithinMs = 10 * 60_000;

/** Asks if the price shown is high. The run stops at it; without a terminal, only at a budget. */
export async function confirmPrice(
  estimate: Estimate,
  job: JobService,
  budget: StartBudget,
  signal: AbortSignal,
  isYes: boolean,
  question = 'Start this run?',
): Promise<void> {
  if (estimate.calls.most === 0) return;
  const isAsked = !isYes && isHigh(estimate, job) && mayAsk();
  if (isAsked && !(await isPriceConfirmed(question, signal))) {
    throw new DossierError('PRICE_DECLINED', 'the price was not confirmed, so no call was made');
  }
  budget.lower(estimate);
}

/** Ctrl-C is no, too. */
async function isPriceConfirmed(question: string, signal: AbortSignal) {
  try {
    return await isConfirmed(question, signal, answerWithinMs);
  } catch (error) {
    if (error !== signal.reason) throw error;
    return false;
  }
}

/** `At most 1,320 calls, AUD 158.40. Expected: 1,050 calls, AUD 126.00.`, and what each costs. */
export function estimateLines(
  estimate: Estimate,
  job: Pick<ResolvedJob, 'services' | 'people'>,
  /** A script only has its budgets. */
  isStoppedThere: boolean,
): string[] {
  const { calls, price, services } = estimate;
  if (calls.most + calls.companies + calls.people === 0)
    return ['No call is needed, so nothing is spent.'];
  const amount = (number: number, money: number | null | undefined) =>
    [
      counted(number, 'call'),
      price && typeof money === 'number' && formatMoney(price.currency, money),
    ]
      .filter(Boolean)
      .join(', ');
  const most = amount(calls.most, price?.most) + (price || services ? '' : ', price not set');
  const expected =
    calls.expected === null
      ? leastText(estimate)
      : amount(calls.expected, price?.expected) +
        (price?.expected === null ? `, price: ${unknownYet}` : '');
  const each = services ? `By service: ${services.map(servicePrice).join('; ')}.` : '';
  const ofIt = calls.most === 0 ? '' : `Expected: ${expected}.`;
  const capped = cappedText(estimate, job.services);
  const more = isStoppedThere || capped ? '' : 'Only a budget limits further retries.';
  const parts = [`At most ${most}${capped}.`, ofIt, more, each, sharedPages(estimate)];
  return [parts.filter(Boolean).join(' '), ...priceOfCalls(job)];
}

function priceOfCalls(job: Parameters<typeof estimateLines>[1]) {
  const terms = termsOfCalls(job).join('. ');
  return terms === '' ? [] : [`Each call: ${terms}.`];
}

/** `main up to 120 calls, AUD 14.40` */
function servicePrice({ name, most, price }: ServiceEstimate) {
  return `${name} ${serviceCalls({ most, price })}`;
}
