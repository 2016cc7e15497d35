import type { Call } from '../../core/contract/call.ts';
import { type Amount, dearestOf, leastOf, leftOf, requestsFor } from '../../core/rules/budgets.ts';
import { counted } from '../../core/values/format.ts';
import { formatMoney, microsPerUnit, priceFor, type Spent } from '../../core/values/money.ts';
import type { Answer } from '../../engine/queue/run-queue.ts';
import type { ResolvedService } from '../../job/resolved-job.ts';
import type { ServiceEstimate } from '../estimate-run.ts';

const operations = ['company', 'people'] as const;

export type SpendingService = Pick<ResolvedService, 'name' | 'price' | 'budget'>;

/** What one start reserves and spends at one service. */
export class ServiceSpend {
  readonly name: string;
  readonly price: ResolvedService['price'];
  #limit: Amount;
  #dearest: number;
  #reserved = 0;
  readonly #counts = {
    company: { requests: 0, free: 0, charged: 0, missed: 0, misses: 0 },
    people: { requests: 0, free: 0, charged: 0, missed: 0, misses: 0 },
  };

  constructor({ name, price, budget }: SpendingService, hasPeople: boolean) {
    this.name = name;
    this.price = price;
    this.#limit = leftOf(budget?.perStart ?? {});
    this.#dearest = dearestOf(price, hasPeople);
  }

  /** Requests that are reserved for a call or will be; a refund is negative. */
  reserve(requests: number): void {
    this.#reserved += requests;
  }

  /** Of which operation a reserved request is; negative if it was refunded. */
  count(operation: Call['operation'], requests: number): void {
    this.#counts[operation].requests += requests;
  }

  /** Its request is counted, but no limit counts it. */
  noteFreeAnswer(operation: Call['operation']): void {
    this.#counts[operation].free += 1;
    this.#reserved -= 1;
  }

  noteAnswer({ operationToCount, isFree, result }: Answer): void {
    if (!operationToCount || result.kind === 'failed') return;
    const counts = this.#counts[operationToCount];
    const isMiss = result.kind === 'miss' || (result.kind === 'hit' && result.isEmpty === true);
    if (isMiss) counts.misses += 1;
    if (!isFree) counts.charged += 1;
    if (isMiss && !isFree) counts.missed += 1;
  }

  /** The user has agreed to this much. */
  lower(agreed: ServiceEstimate | undefined, hasLookups: boolean): void {
    // Without lookups, people searches are the dearest requests. With the price of a lookup, an
    // amount that pays for all of them would look spent, and stop the run.
    if (!hasLookups) this.#dearest = this.price?.peopleMicros ?? 0;
    // If the agreed price is 0, set no limit: free requests may be repeated.
    if (!agreed || agreed.price?.most === 0) return;
    const { most: requests, price: shown } = agreed;
    const micros = shown ? Math.round(shown.most * microsPerUnit) : undefined;
    this.#limit = leastOf([this.#limit, leftOf({ requests, micros })]);
  }

  /** Requests that were answered or may still be charged. */
  get requests(): number {
    return this.#reserved + this.#counts.company.free + this.#counts.people.free;
  }

  /** Requests that limits count: those that were or may be charged. */
  get chargeable(): number {
    return this.#reserved;
  }

  /** The most that they cost: reserved for a call not known yet, a request has the highest price. */
  get promisedMicros(): number {
    const { company, people } = this.#counts;
    const { companyMicros = 0, peopleMicros = 0 } = this.price ?? {};
    const unknown = this.requests - company.requests - people.requests;
    const known =
      (company.requests - company.free) * companyMicros +
      (people.requests - people.free) * peopleMicros;
    return known + unknown * this.#dearest;
  }

  get isLimited(): boolean {
    return this.#limit.requests < Infinity || this.#limit.micros < Infinity;
  }

  /** Requests that its own limit leaves, and that of the job. */
  leftWith(ofJob: Amount = leftOf({})): number {
    const used = { requests: this.#reserved, micros: this.promisedMicros };
    return requestsFor(leastOf([ofJob, leftOf(this.#limit, used)]), this.#dearest);
  }

  /** In words; undefined if it is not what stops this service. */
  get reachedLimit(): string | undefined {
    if (this.leftWith() >= 1) return undefined;
    const { requests, micros } = this.#limit;
    const isCount = requests < Infinity && (micros === Infinity || this.#reserved >= requests);
    if (isCount) return `${counted(requests, 'call')} for ${this.name}`;
    if (micros === Infinity || !this.price) return undefined;
    return `${formatMoney(this.price.currency, micros / microsPerUnit)} for ${this.name}`;
  }

  get spend(): Spent[] {
    return operations.map((operation) => {
      const { requests, free, charged, missed, misses } = this.#counts[operation];
      const { each, currency } = priceFor(this.price, operation);
      const counts = { service: this.name, operation, requests, misses, currency };
      const micros = (requests - free) * each;
      return { ...counts, micros, charged: charged * each, missed: missed * each };
    });
  }

  /** Undefined if the price of a request is unknown. */
  get money(): { readonly currency: string; readonly amount: number } | undefined {
    const rows = this.spend;
    const isUnknown = rows.some((row) => row.currency === '' && row.requests > 0);
    if (!this.price || isUnknown) return undefined;
    const micros = rows.reduce((sum, row) => sum + row.micros, 0);
    return { currency: this.price.currency, amount: micros / microsPerUnit };
  }
}
