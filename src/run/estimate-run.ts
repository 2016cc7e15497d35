import {
  type Amount,
  budgetPeriods,
  type Limit,
  leastOf,
  leftOf,
  requestsFor,
} from '../core/rules/budgets.ts';
import { microsPerUnit, priceFor, priceTerms, roundMicros } from '../core/values/money.ts';
import { pairs } from '../core/values/pairs.ts';
import type { Ledger } from '../engine/ledger/open-ledger.ts';
import { providerOf } from '../engine/providers/providers.ts';
import type { CallsAhead } from '../engine/runs/calls-ahead.ts';
import type { ResolvedJob, ResolvedService } from '../job/resolved-job.ts';

/** `charged` is the part of `micros` that certainly was charged. */
export type UsedAmount = Amount & { readonly charged: number };

/** Requests so far in the periods of the shared budgets, and when the periods end. */
export type SpentInPeriods = Readonly<
  Record<'day' | 'month', { readonly requests: number; readonly freeAtMs: number }>
> & {
  /** In the order of the job; undefined where nothing is counted. */
  readonly services: readonly (Readonly<Record<'day' | 'month', UsedAmount>> | undefined)[];
};

export function spentInPeriods(
  { spend }: Pick<Ledger, 'spend'>,
  { budget: { timezone }, services }: Pick<ResolvedJob, 'budget' | 'services'>,
  accounts: readonly (readonly string[] | undefined)[],
  nowMs: number,
): SpentInPeriods {
  const { day, month } = budgetPeriods(nowMs, timezone);
  const used = spend.spentIn(
    accounts.flatMap((some) => some ?? []),
    month,
    day,
  );
  return {
    day: { requests: used.day, freeAtMs: day.untilMs },
    month: { requests: used.month, freeAtMs: month.untilMs },
    services: services.map(({ price }, index) => {
      const own = accounts[index];
      if (!own) return undefined;
      const requests = spend.spentIn(own, month, day);
      const [micros, charged] = [false, true].map((isCertain) =>
        spend.spentIn(own, month, day, price?.currency ?? '', isCertain),
      );
      const amountIn = (period: 'day' | 'month') => ({
        requests: requests[period],
        micros: micros?.[period] ?? 0,
        charged: charged?.[period] ?? 0,
      });
      return { day: amountIn('day'), month: amountIn('month') };
    }),
  };
}

/** What a run probably costs, and the most that it may cost. Every view shows these figures. */
export interface Estimate {
  readonly calls: {
    /** Null before a first run with later candidates or people. */
    readonly expected: number | null;
    readonly most: number;
    /** Without a person found. `perFound` comes on top for each company found. */
    readonly certain: number;
    readonly perFound: number;
    readonly companies: number;
    readonly fallbacks: number;
    readonly people: number;
    readonly repeats: number;
  };
  readonly price: (EstimatedPrice & { readonly certain: number }) | null;
  /** Set if only the price of people pages is not. */
  readonly priceWithoutPeople: (Omit<EstimatedPrice, 'expected'> & { pages: number }) | null;
  /** Only if the job has several. */
  readonly services?: ServiceEstimate[];
  /** Undefined without a budget of calls. */
  readonly budget:
    | {
        readonly left: number;
        /** Set if the budget may stop the run. */
        readonly freeAtMs: number | undefined;
        readonly verdict: 'enough' | 'likely' | 'perhaps' | 'short';
      }
    | undefined;
}

interface EstimatedPrice {
  readonly currency: string;
  readonly expected: number | null;
  readonly most: number;
}

/** If it found all that it may be asked for, so these have no sum. */
export interface ServiceEstimate
  extends Pick<Estimate['calls'], 'companies' | 'fallbacks' | 'expected' | 'most'> {
  readonly name: string;
  readonly price: EstimatedPrice | null;
}

export function estimateRun(
  { budget, services }: Pick<ResolvedJob, 'budget' | 'services'>,
  ahead: CallsAhead,
  spent?: SpentInPeriods,
): Estimate {
  const { companies, fallbacks, pages, expected } = ahead;
  const [{ price }] = services;
  const searched = dearestSearched(services);
  const ofServices = pairs(services, ahead.lookups).map(([service, lookups], index) => {
    const calls = {
      company: lookups.companies + lookups.fallbacks,
      people: service === searched ? pages : 0,
    };
    const limit = limitOf(service, spent?.services[index]);
    const people = providerOf(service).people ? pages : 0;
    // Shown alone, each service counts all people searches, because it may find all companies.
    const alone = partsOf(service, { ...calls, people });
    return { service, lookups, limit, parts: partsOf(service, calls), alone };
  });
  const parts = ofServices.flatMap((one) => one.parts);
  const rest = restOf(budget, spent);
  const left = rest?.left ?? Number.POSITIVE_INFINITY;
  const currencies = new Set(parts.flatMap((part) => (part.requests > 0 ? part.currency : [])));
  const isPriced = !currencies.has('') && currencies.size <= 1;
  const limit = { requests: left, micros: isPriced ? budget.spendMicros : undefined };
  const uncapped = parts.reduce((sum, { requests }) => sum + requests, 0);
  const most = affordable(ofServices, limit);
  const calls = expectedCalls(expected, most.requests);
  const [currency = price?.currency] = currencies;
  return {
    calls: {
      expected: calls,
      most: most.requests,
      certain: Math.min(companies + ahead.leastPages, most.requests),
      perFound: ahead.leastPagesPerFound,
      companies,
      fallbacks,
      people: pages,
      repeats: parts.reduce((sum, { repeats }) => sum + repeats, 0),
    },
    price:
      currency !== undefined && isPriced
        ? {
            currency,
            expected: expectedMoney(ofServices, ahead, most.micros, currency),
            most: most.micros / microsPerUnit,
            certain: Math.min(certainMicros(services, ahead), most.micros) / microsPerUnit,
          }
        : null,
    priceWithoutPeople: priceWithoutPeople(parts),
    ...(services.length > 1 && {
      services: ofServices.map(({ alone, ...one }) => {
        const own = { ...one, parts: alone };
        return estimateOf(own, affordable([own], limit), pages);
      }),
    }),
    budget: rest && {
      left,
      freeAtMs: left < uncapped ? rest.freeAtMs : undefined,
      verdict: verdictOn(left, uncapped, calls, companies),
    },
  };
}

/** What a call costs at each service that has a price; one service is not named. */
export function termsOfCalls({
  services,
  people,
}: Pick<ResolvedJob, 'services' | 'people'>): string[] {
  return services.flatMap(({ name, price, ...service }) => {
    const hasPeople = people !== undefined && providerOf(service).people !== undefined;
    const terms = price && priceTerms(price, hasPeople);
    if (!terms) return [];
    return services.length > 1 ? `${name}: ${terms}` : terms;
  });
}

/** Where only answers with a result are charged, or another service may find it, nothing is certain. */
function certainMicros(
  [{ price }, ...others]: ResolvedJob['services'],
  { companies, leastPages }: CallsAhead,
) {
  if (price?.charged === 'hits' || others.length > 0) return 0;
  return companies * priceFor(price, 'company').each + leastPages * priceFor(price, 'people').each;
}

interface OfService {
  readonly service: ResolvedService;
  readonly lookups: CallsAhead['lookups'][number];
  readonly limit: Amount;
  readonly parts: ReturnType<typeof partsOf>;
}

/** What the budgets of a service leave. */
function limitOf(
  { budget = {} }: ResolvedService,
  { day, month }: Partial<Record<'day' | 'month', Amount>> = {},
): Amount {
  const used = { perStart: undefined, perDay: day, perMonth: month };
  const periods = ['perStart', 'perDay', 'perMonth'] as const;
  return leastOf(periods.map((period) => leftOf(budget[period] ?? {}, used[period])));
}

/** The service that will find a company also searches its people, so the dearest one bounds the price. */
function dearestSearched(services: readonly ResolvedService[]) {
  const priceOf = ({ price }: ResolvedService) => priceFor(price, 'people').each;
  return services.toSorted((one, other) => priceOf(other) - priceOf(one))[0];
}

function partsOf(
  { price, isSample }: ResolvedService,
  calls: Readonly<Record<'company' | 'people', number>>,
) {
  return (['company', 'people'] as const).map((operation) => {
    const repeats = isSample ? 0 : Math.ceil(calls[operation] / 10);
    const requests = calls[operation] + repeats;
    return { operation, repeats, requests, ...priceFor(price, operation) };
  });
}

function priceWithoutPeople(all: ReturnType<typeof partsOf>) {
  const { known = [], unknown = [] } = Object.groupBy(
    all.filter(({ requests }) => requests > 0),
    ({ currency }) => (currency === '' ? 'unknown' : 'known'),
  );
  const [currency, ...others] = new Set(known.map((part) => part.currency));
  const isOfPeople = unknown.every(({ operation }) => operation === 'people');
  if (currency === undefined || others.length > 0 || unknown.length === 0 || !isOfPeople)
    return null;
  const micros = known.reduce((sum, { requests, each }) => sum + requests * each, 0);
  const pages = unknown.reduce((sum, { requests }) => sum + requests, 0);
  return { currency, most: micros / microsPerUnit, pages };
}

function estimateOf(own: OfService, { requests, micros }: Amount, pages: number): ServiceEstimate {
  const { service, lookups, parts } = own;
  const asked = parts.filter((part) => part.requests > 0);
  const [currency = ''] = asked.map((part) => part.currency);
  const isPriced = asked.every((part) => part.currency !== '') && asked.length > 0;
  const { companies, fallbacks, expected } = lookups;
  // Which service finds a company, and searches its people, is not expected of each.
  const ahead = { expected: pages === 0 ? { pages } : {}, hitRate: undefined };
  const price = isPriced
    ? {
        currency,
        expected: expectedMoney([own], ahead, micros, currency),
        most: micros / microsPerUnit,
      }
    : null;
  const calls = expected === undefined ? null : Math.min(expected, requests);
  return { name: service.name, companies, fallbacks, expected: calls, most: requests, price };
}

/** The most requests and the most money that fit the limits of all services and of each. */
function affordable(services: readonly Pick<OfService, 'parts' | 'limit'>[], limit: Limit = {}) {
  const parts = services.flatMap((service) => service.parts.map((part) => ({ part, service })));
  const fill = (inOrder: typeof parts): Amount => {
    let total = { requests: 0, micros: 0 };
    const own = new Map(services.map((service) => [service, total]));
    for (const { part, service } of inOrder) {
      const used = own.get(service) ?? total;
      const left = leastOf([leftOf(limit, total), leftOf(service.limit, used)]);
      const requests = Math.min(part.requests, requestsFor(left, part.each));
      const plus = (sum: Amount) => ({
        requests: sum.requests + requests,
        micros: sum.micros + requests * part.each,
      });
      own.set(service, plus(used));
      total = plus(total);
    }
    return total;
  };
  const cheapFirst = parts.toSorted((one, other) => one.part.each - other.part.each);
  return { requests: fill(cheapFirst).requests, micros: fill(cheapFirst.toReversed()).micros };
}

function expectedCalls({ companies, pages }: CallsAhead['expected'], most: number) {
  return companies === undefined || pages === undefined ? null : Math.min(companies + pages, most);
}

function expectedMoney(
  services: readonly OfService[],
  { expected, hitRate, filledPages = 1 }: Pick<CallsAhead, 'expected' | 'hitRate' | 'filledPages'>,
  mostMicros: number,
  currency: string,
) {
  const { pages } = expected;
  const lookups = services.map(({ service: { price }, lookups: own }) => {
    const share = price?.charged === 'hits' ? (own.hitRate ?? hitRate) : 1;
    const { expected: made } = own;
    return made && share && made * share * priceFor(price, 'company').each;
  });
  const searched = dearestSearched(services.map(({ service }) => service));
  if (pages === undefined || lookups.includes(undefined)) return null;
  const paidPages = searched?.price?.charged === 'hits' ? pages * filledPages : pages;
  const people = paidPages * priceFor(searched?.price, 'people').each;
  const micros = lookups.reduce<number>((sum, some = 0) => sum + some, people);
  const prices = services.flatMap((one) => one.parts.map(({ each }) => each));
  return Math.min(roundMicros(micros, currency, prices), mostMicros) / microsPerUnit;
}

function restOf({ perStart, perDay, perMonth }: ResolvedJob['budget'], spent?: SpentInPeriods) {
  const { day, month } = spent ?? {};
  const limits = [
    { limit: perStart, used: 0, freeAtMs: undefined },
    // The month comes first: if both budgets are spent, requests start again with the next month.
    { limit: perMonth, used: month?.requests ?? 0, freeAtMs: month?.freeAtMs },
    { limit: perDay, used: day?.requests ?? 0, freeAtMs: day?.freeAtMs },
  ].flatMap(({ limit, used, freeAtMs }) =>
    limit === undefined
      ? []
      : [{ left: leftOf({ requests: limit }, { requests: used }).requests, freeAtMs }],
  );
  return limits.toSorted((one, other) => one.left - other.left)[0];
}

function verdictOn(left: number, most: number, expected: number | null, companies: number) {
  if (left >= most) return 'enough';
  // `expected` is capped by what is left.
  if (expected !== null && expected < left) return 'likely';
  return left < companies ? 'short' : 'perhaps';
}
