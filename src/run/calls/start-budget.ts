import type { Call } from '../../core/contract/call.ts';
import { dearestOf, leastOf, leftOf, requestsFor } from '../../core/rules/budgets.ts';
import { counted } from '../../core/values/format.ts';
import { formatMoney, microsPerUnit, priceFor } from '../../core/values/money.ts';
import type { Answer } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob, ResolvedService } from '../../job/resolve-job.ts';
import type { Estimate } from '../estimate-run.ts';

type BudgetTerms = {
  readonly budget?: Partial<ResolvedJob['budget']>;
  readonly services?: readonly Partial<Pick<ResolvedService, 'name' | 'price' | 'budget'>>[];
  readonly people?: ResolvedJob['people'];
};

/** Requests are reserved before they are sent, so no limit is ever exceeded. */
export function createStartBudget({ budget, services = [], people }: BudgetTerms = {}) {
  let { perStart = forever, spendMicros } = budget ?? {};
  let isAgreed = false;
  const parts = (services.length === 0 ? [{ price: undefined }] : services).map((service) =>
    createPart(service, people !== undefined),
  );
  const partAt = (serviceIndex: number) => parts[serviceIndex] as StartPart;
  const spent = () => parts.reduce((sum, part) => sum + part.spent, 0);
  // Only for services of one currency; see `refuseUnpriced`.
  const currency = parts[0]?.price?.currency;
  const leftAt = (serviceIndex: number) => {
    const part = partAt(serviceIndex);
    // The call loop asks after every answer.
    if (perStart === forever && spendMicros === undefined && !part.limit) return forever;
    const used = { requests: spent(), micros: parts.reduce((sum, one) => sum + one.promised, 0) };
    const ofJob = leftOf({ requests: perStart, micros: spendMicros }, used);
    return requestsFor(leastOf([ofJob, part.left]), part.dearest);
  };
  return {
    /** The limit that a service has reached, or that of the job. */
    limitOf(serviceIndex: number): string {
      const part = partAt(serviceIndex);
      const ofPart = requestsFor(part.left, part.dearest) < 1 ? part.limit : undefined;
      const ofJob =
        currency && spendMicros !== undefined && (isAgreed || spent() < perStart)
          ? formatMoney(currency, spendMicros / microsPerUnit)
          : counted(perStart, 'call');
      return `${ofPart ?? ofJob} ${isAgreed ? 'shown before this start' : 'for this start'}`;
    },
    leftAt,
    /** Of the service that has most left. */
    get left() {
      return Math.max(...parts.map((_, serviceIndex) => leftAt(serviceIndex)));
    },
    /** Requests that were charged or may still be. */
    get spent() {
      return spent();
    },
    get spend() {
      // If the job has several services, leave out those that received no request.
      return parts.flatMap(({ spend }) =>
        parts.length === 1 ? spend : spend.filter(({ requests }) => requests > 0),
      );
    },
    /** If the job has one service, its name is left out. */
    get byService() {
      return parts.map(({ name, spent, money }) => ({
        ...(parts.length > 1 && { service: name }),
        spent,
        money,
      }));
    },
    /** What is charged for certain. Requests in flight may still be free. */
    get money() {
      const rows = parts.flatMap((part) => part.spend);
      const isUnknown = rows.some((row) => row.currency !== currency && row.requests > 0);
      const charged = rows.reduce((sum, row) => sum + row.charged, 0);
      return currency && !isUnknown ? { currency, amount: charged / microsPerUnit } : undefined;
    },
    /** The user has agreed to this much. */
    lower({ calls, price, services }: Pick<Estimate, 'calls' | 'price' | 'services'>) {
      isAgreed = true;
      perStart = Math.min(perStart, calls.most);
      if (price) spendMicros = Math.round(price.most * microsPerUnit);
      for (const [index, part] of parts.entries()) {
        const { companies, fallbacks } = services?.[index] ?? calls;
        part.lower(services?.[index], companies + fallbacks > 0);
      }
    },
    reserve(requests: number, serviceIndex: number) {
      const reserved = Math.max(0, Math.min(requests, leftAt(serviceIndex)));
      partAt(serviceIndex).spent += reserved;
      return reserved;
    },
    refund(requests: number, serviceIndex: number) {
      partAt(serviceIndex).spent -= requests;
    },
    charge(operation: Call['operation'], requests: number, serviceIndex: number) {
      partAt(serviceIndex).byOperation[operation].requests += requests;
    },
    noteAnswer({ charged, result }: Answer, serviceIndex: number) {
      if (!charged || result.kind === 'failed') return;
      const counts = partAt(serviceIndex).byOperation[charged];
      counts.answered += 1;
      if (result.kind === 'miss') counts.missed += 1;
    },
  };
}

const forever = Number.POSITIVE_INFINITY;

type StartPart = ReturnType<typeof createPart>;

/** What one start spends at one service. */
function createPart(
  { name = '', price, budget }: Partial<Pick<ResolvedService, 'name' | 'price' | 'budget'>>,
  hasPeople: boolean,
) {
  const byOperation = { company: noRequests(), people: noRequests() };
  let { perStart = {} } = budget ?? {};
  return {
    name,
    price,
    dearest: dearestOf(price, hasPeople),
    byOperation,
    spent: 0,
    get limit() {
      const { requests, micros } = leftOf(perStart);
      const isCount = requests < forever && (micros === forever || this.left.requests < 1);
      if (isCount) return `${counted(requests, 'call')} for ${name}`;
      if (micros === forever || !price) return undefined;
      return `${formatMoney(price.currency, micros / microsPerUnit)} for ${name}`;
    },
    lower(agreed: NonNullable<Estimate['services']>[number] | undefined, hasLookups: boolean) {
      // Without lookups, no request costs more than a people search. With the price of a lookup, an
      // agreed amount that pays only for people searches would stop the run.
      if (!hasLookups) this.dearest = price?.peopleMicros ?? 0;
      // What is free may be asked again.
      if (!agreed || agreed.price?.most === 0) return;
      const { most: requests, price: shown } = agreed;
      const micros = shown ? Math.round(shown.most * microsPerUnit) : undefined;
      perStart = leastOf([leftOf(perStart), leftOf({ requests, micros })]);
    },
    get spend() {
      return (['company', 'people'] as const).map((operation) => {
        const { requests, answered, missed } = byOperation[operation];
        const { each, currency } = priceFor(price, operation);
        const [micros, charged] = [requests * each, answered * each];
        return { service: name, requests, currency, micros, charged, missed: missed * each };
      });
    },
    get micros() {
      return this.spend.reduce((sum, row) => sum + row.micros, 0);
    },
    /** Undefined if the price of a request is unknown. */
    get money() {
      const isUnknown = this.spend.some((row) => row.currency === '' && row.requests > 0);
      if (!price || isUnknown) return undefined;
      return { currency: price.currency, amount: this.micros / microsPerUnit };
    },
    /** Requests that are reserved for calls not leased yet count at the highest price. */
    get promised() {
      const [companies, pages] = [byOperation.company.requests, byOperation.people.requests];
      const { companyMicros = 0, peopleMicros = 0 } = price ?? {};
      const reserved = (this.spent - companies - pages) * this.dearest;
      return companies * companyMicros + pages * peopleMicros + reserved;
    },
    get left() {
      return leftOf(perStart, { requests: this.spent, micros: this.promised });
    },
  };
}

const noRequests = () => ({ requests: 0, answered: 0, missed: 0 });

export type StartBudget = ReturnType<typeof createStartBudget>;

export type SpentSoFar = Pick<StartBudget, 'spent' | 'spend' | 'money'>;

/** No more than the smallest budget pays for: a call without budget for a retry stays open. */
export function attemptsOf(
  { limits, budget, people }: Pick<ResolvedJob, 'limits' | 'budget' | 'people'>,
  { budget: own = {}, price }: ResolvedService,
): number {
  const { perStart, perDay, perMonth, spendMicros } = budget;
  const ofJob = [perStart, perDay, perMonth].map((requests) => ({ requests, micros: spendMicros }));
  const least = leastOf([...ofJob, ...Object.values(own)].map((limit) => leftOf(limit)));
  const payable = requestsFor(least, dearestOf(price, people !== undefined));
  return Math.max(1, Math.min(limits.attempts, payable));
}
