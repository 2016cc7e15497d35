import { budgetPeriods } from '../core/rules/shared-budget.ts';
import { microsPerUnit, type Price, priceFor } from '../core/values/money.ts';
import type { Ledger } from '../engine/ledger/open-ledger.ts';
import type { CallsAhead } from '../engine/queue/calls-ahead.ts';
import type { ResolvedJob, ResolvedService } from '../job/resolve-job.ts';

/** Requests so far in the periods of the shared budgets, and when the periods end. */
export type SpentInPeriods = Readonly<
  Record<'day' | 'month', { readonly requests: number; readonly freeAtMs: number }>
>;

export function spentInPeriods(
  { spend }: Pick<Ledger, 'spend'>,
  accounts: readonly string[],
  timezone: string,
  nowMs: number,
): SpentInPeriods {
  const { day, month } = budgetPeriods(nowMs, timezone);
  const used = spend.spentIn(accounts, month, day);
  return {
    day: { requests: used.day, freeAtMs: day.untilMs },
    month: { requests: used.month, freeAtMs: month.untilMs },
  };
}

type Verdict = 'enough' | 'likely' | 'perhaps' | 'short';

/** What a run probably costs, and the most that it may cost. Every view shows these figures. */
export type Estimate = ReturnType<typeof estimateRun>;

export function estimateRun(
  { budget, services }: Pick<ResolvedJob, 'budget' | 'services'>,
  ahead: CallsAhead,
  spent?: SpentInPeriods,
) {
  const { companies, fallbacks, pages, expected } = ahead;
  const [{ price }] = services;
  const searched = dearestSearched(services);
  const ofServices = services.map((service, index) => {
    const lookups = ahead.lookups?.[index] ?? { companies, fallbacks };
    const calls = {
      company: lookups.companies + lookups.fallbacks,
      people: service === searched ? pages : 0,
    };
    return { service, lookups, parts: partsOf(service, calls) };
  });
  const parts = ofServices.flatMap((one) => one.parts);
  const uncapped = parts.reduce((sum, { requests }) => sum + requests, 0);
  const rest = restOf(budget, spent);
  const left = rest?.left ?? Number.POSITIVE_INFINITY;
  const isPriced = parts.every(
    ({ requests, currency }) => requests === 0 || (currency !== '' && currency === price?.currency),
  );
  const { spendMicros = Number.POSITIVE_INFINITY } = budget;
  const money = isPriced ? spendMicros : Number.POSITIVE_INFINITY;
  const most = affordable(parts, left, money);
  const calls = expectedCalls(expected, most.requests);
  return {
    calls: {
      expected: calls,
      most: most.requests,
      companies,
      fallbacks,
      people: pages,
      repeats: parts.reduce((sum, { repeats }) => sum + repeats, 0),
    },
    price:
      price && isPriced
        ? {
            currency: price.currency,
            // Earlier runs do not show what each of several services would find.
            expected: services.length > 1 ? null : expectedMoney(price, ahead, most.micros),
            most: most.micros / microsPerUnit,
          }
        : null,
    ...(services.length > 1 && { services: ofServices.map(estimateOf) }),
    budget: rest && {
      left,
      freeAtMs: left < uncapped ? rest.freeAtMs : undefined,
      verdict: verdictOn(left, uncapped, calls, companies),
    },
  };
}

/** In which the people of any company may be searched, at most. */
function dearestSearched(services: ResolvedJob['services']) {
  const priceOf = ({ price }: ResolvedService) => priceFor(price, 'people').each;
  return services.toSorted((one, other) => priceOf(other) - priceOf(one))[0];
}

function partsOf(
  { price, isSample, budget = {} }: ResolvedService,
  calls: Readonly<Record<'company' | 'people', number>>,
) {
  const limits = Object.values(budget);
  return (['company', 'people'] as const).map((operation) => {
    const { each, currency } = priceFor(price, operation);
    const made = calls[operation];
    const repeats = isSample ? 0 : Math.ceil(made / 10);
    const most = limits.map(({ requests = Infinity, micros = Infinity }) =>
      Math.min(requests, each > 0 ? Math.floor(micros / each) : Infinity),
    );
    const requests = Math.min(made + repeats, ...most);
    return { calls: made, repeats, requests, each, currency };
  });
}

function estimateOf({
  service: { name },
  lookups: { companies, fallbacks },
  parts,
}: {
  readonly service: ResolvedService;
  readonly lookups: Pick<CallsAhead, 'companies' | 'fallbacks'>;
  readonly parts: ReturnType<typeof partsOf>;
}) {
  const asked = parts.filter(({ requests }) => requests > 0);
  const [currency = ''] = asked.map((part) => part.currency);
  const micros = asked.reduce((sum, { requests, each }) => sum + requests * each, 0);
  const isPriced = asked.every((part) => part.currency !== '') && asked.length > 0;
  return {
    name,
    companies,
    fallbacks,
    most: asked.reduce((sum, { requests }) => sum + requests, 0),
    price: isPriced ? { currency, most: micros / microsPerUnit } : null,
  };
}

interface Part {
  readonly requests: number;
  /** In millionths. */
  readonly each: number;
}

/** The most requests and the most money that fit both limits. */
function affordable(parts: readonly Part[], requests: number, micros: number) {
  const fill = (inOrder: readonly Part[]) => {
    const total = { requests: 0, micros: 0 };
    for (const part of inOrder) {
      const byMoney = part.each > 0 ? Math.floor((micros - total.micros) / part.each) : Infinity;
      const some = Math.min(part.requests, requests - total.requests, byMoney);
      total.requests += some;
      total.micros += some * part.each;
    }
    return total;
  };
  const cheapFirst = parts.toSorted((one, other) => one.each - other.each);
  return { requests: fill(cheapFirst).requests, micros: fill(cheapFirst.toReversed()).micros };
}

function expectedCalls({ companies, pages }: CallsAhead['expected'], most: number) {
  return companies === undefined || pages === undefined ? null : Math.min(companies + pages, most);
}

function expectedMoney(price: Price, { expected, hitRate }: CallsAhead, mostMicros: number) {
  const { companies, pages } = expected;
  const share = price.charged === 'hits' ? hitRate : 1;
  const lookups = companies === 0 ? 0 : share && companies && share * companies;
  if (lookups === undefined || pages === undefined) return null;
  const micros = lookups * priceFor(price, 'company').each + pages * priceFor(price, 'people').each;
  return Math.min(Math.round(micros), mostMicros) / microsPerUnit;
}

function restOf({ perStart, perDay, perMonth }: ResolvedJob['budget'], spent?: SpentInPeriods) {
  const { day, month } = spent ?? {};
  const limits = [
    { limit: perStart, used: 0, freeAtMs: undefined },
    // The month comes first: if both budgets are spent, requests start again with the next month.
    { limit: perMonth, used: month?.requests ?? 0, freeAtMs: month?.freeAtMs },
    { limit: perDay, used: day?.requests ?? 0, freeAtMs: day?.freeAtMs },
  ].flatMap(({ limit, used, freeAtMs }) =>
    limit === undefined ? [] : [{ left: Math.max(0, limit - used), freeAtMs }],
  );
  return limits.toSorted((one, other) => one.left - other.left)[0];
}

function verdictOn(
  left: number,
  most: number,
  expected: number | null,
  companies: number,
): Verdict {
  if (left >= most) return 'enough';
  // `expected` is capped by what is left.
  if (expected !== null && expected < left) return 'likely';
  return left < companies ? 'short' : 'perhaps';
}
