import { dearestOf, leastOf, leftOf, requestsFor } from '../../core/rules/budgets.ts';
import { counted } from '../../core/values/format.ts';
import { formatMoney, microsPerUnit, type Spent } from '../../core/values/money.ts';
import type { ResolvedJob, ResolvedService } from '../../job/resolved-job.ts';
import type { Estimate } from '../estimate-run.ts';
import { ServiceSpend, type SpendingService } from './service-spend.ts';

interface BudgetTerms extends Pick<ResolvedJob, 'people'> {
  readonly budget: Pick<ResolvedJob['budget'], 'perStart' | 'spendMicros'>;
  readonly services: readonly SpendingService[];
}

export interface SpentSoFar {
  /** Requests that were answered or may still be charged. */
  readonly spent: number;
  readonly spend: readonly Spent[];
  /** What is charged for certain, as requests in flight may still be free. Undefined if unknown. */
  readonly money: Money | undefined;
}

type Money = { readonly currency: string; readonly amount: number };

/** What one start may spend. Requests are reserved before they are sent, so no limit is exceeded. */
export interface StartBudget extends SpentSoFar {
  /** Requests that the limits leave at a service. */
  leftAt(serviceIndex: number): number;
  /** At the service that has most left. */
  readonly left: number;
  /** The limit that a service has reached, or that of the job. */
  limitOf(serviceIndex: number): string;
  /** If the job has one service, its name is left out. */
  readonly byService: readonly {
    readonly service?: string;
    readonly spent: number;
    readonly money: Money | undefined;
  }[];
  /** The user has agreed to this much. */
  lower(estimate: Pick<Estimate, 'calls' | 'price' | 'services'>): void;
  /** Returns how many of them the limits allow. */
  reserve(requests: number, serviceIndex: number): number;
  /** Where requests and answers of a service are counted. */
  at(serviceIndex: number): ServiceSpend;
}

export function createStartBudget({ budget, services, people }: BudgetTerms): StartBudget {
  const given = { perStart: budget.perStart ?? Infinity, micros: budget.spendMicros };
  let { perStart, micros: spendMicros } = given;
  let isAgreed = false;
  const spends = services.map((service) => new ServiceSpend(service, people !== undefined));
  const at = (serviceIndex: number) => spends[serviceIndex] as ServiceSpend;
  const sumOf = (amount: (one: ServiceSpend) => number) =>
    spends.reduce((sum, one) => sum + amount(one), 0);
  const chargeable = () => sumOf((one) => one.chargeable);
  // Only for services of one currency; see `refuseUnpriced`.
  const currency = spends[0]?.price?.currency;
  const leftAt = (serviceIndex: number) => {
    // The call loop asks after every answer.
    if (perStart === Infinity && spendMicros === undefined && !at(serviceIndex).isLimited)
      return Infinity;
    const used = { requests: chargeable(), micros: sumOf((one) => one.promisedMicros) };
    return at(serviceIndex).leftWith(leftOf({ requests: perStart, micros: spendMicros }, used));
  };
  return {
    leftAt,
    get left() {
      return Math.max(...spends.map((_, serviceIndex) => leftAt(serviceIndex)));
    },
    limitOf(serviceIndex) {
      const { reachedLimit, price } = at(serviceIndex);
      const forStart = (limit: string, isGiven: boolean) =>
        `${limit} ${isGiven ? 'for' : 'shown before'} this start`;
      if (reachedLimit !== undefined) return forStart(reachedLimit, !isAgreed);
      const isGiven = perStart === given.perStart;
      const areCalls = isGiven && chargeable() >= perStart;
      if (areCalls || spendMicros === undefined || !currency)
        return forStart(counted(perStart, 'call'), isGiven);
      // Whole calls may cost a little less than the amount that was set.
      const { micros = Infinity } = given;
      const isTyped = micros - spendMicros < Math.max(1, dearestOf(price, people !== undefined));
      const amount = (isTyped ? micros : spendMicros) / microsPerUnit;
      return forStart(formatMoney(currency, amount), isTyped);
    },
    get spent() {
      return sumOf((one) => one.requests);
    },
    get spend() {
      // If the job has several services, leave out those that received no request.
      return spends.flatMap(({ spend }) =>
        spends.length === 1 ? spend : spend.filter((row) => row.requests > 0),
      );
    },
    get byService() {
      return spends.map(({ name, requests: spent, money }) => ({
        ...(spends.length > 1 && { service: name }),
        spent,
        money,
      }));
    },
    get money() {
      const rows = spends.flatMap(({ spend }) => spend);
      const isUnknown = rows.some((row) => row.currency !== currency && row.requests > 0);
      const charged = rows.reduce((sum, row) => sum + row.charged, 0);
      return currency && !isUnknown ? { currency, amount: charged / microsPerUnit } : undefined;
    },
    lower({ calls, price, services: agreed }) {
      isAgreed = true;
      perStart = Math.min(perStart, calls.most);
      if (price) spendMicros = Math.round(price.most * microsPerUnit);
      for (const [index, one] of spends.entries()) {
        const { companies, fallbacks } = agreed?.[index] ?? calls;
        one.lower(agreed?.[index], companies + fallbacks > 0);
      }
    },
    reserve(wanted, serviceIndex) {
      const reserved = Math.max(0, Math.min(wanted, leftAt(serviceIndex)));
      at(serviceIndex).reserve(reserved);
      return reserved;
    },
    at,
  };
}

/** No more than the smallest budget pays for: a call without budget for a retry stays open. */
export function payableAttempts(
  { limits, budget, people }: Pick<ResolvedJob, 'limits' | 'budget' | 'people'>,
  { budget: own = {}, price }: ResolvedService,
): number {
  const { perStart, perDay, perMonth, spendMicros } = budget;
  const ofJob = [perStart, perDay, perMonth].map((requests) => ({ requests, micros: spendMicros }));
  const least = leastOf([...ofJob, ...Object.values(own)].map((limit) => leftOf(limit)));
  const payable = requestsFor(least, dearestOf(price, people !== undefined));
  return Math.max(1, Math.min(limits.attempts, payable));
}
