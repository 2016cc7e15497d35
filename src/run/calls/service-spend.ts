import type { Call } from '../../core/contract/call.ts';
import {
  type Amount,
  dearestOf,
  leastOf,
  leftOf,
  type RequestEnd,
  requestsFor,
} from '../../core/rules/budgets.ts';
import { counted } from '../../core/values/format.ts';
import { formatMoney, microsPerUnit, priceFor, type Spent } from '../../core/values/money.ts';
import type { Answer } from '../../engine/queue/run-queue.ts';
import type { ResolvedService } from '../../job/resolved-job.ts';
import type { ServiceEstimate } from '../estimate-run.ts';

const operations = ['company', 'people'] as const;
const nothing = { requests: 0, unpaid: 0, charged: 0, misspent: 0, misses: 0 };

export type SpendingService = Pick<ResolvedService, 'name' | 'price' | 'budget'>;

/** What one start reserves and spends at one service. */
export class ServiceSpend {
  readonly name: string;
  readonly price: ResolvedService['price'];
  #limit: Amount;
  #dearest: number;
  /** Reserved for calls that are not known yet. */
  #room = 0;
  readonly #counts = {
    company: { ...nothing },
    people: { ...nothing },
  };

  constructor({ name, price, budget }: SpendingService, hasPeople: boolean) {
    this.name = name;
    this.price = price;
    this.#limit = leftOf(budget?.perStart ?? {});
    this.#dearest = dearestOf(price, hasPeople);
  }

  /** For calls that are not known yet. Negative: fewer were found. */
  reserve(requests: number): void {
    this.#room += requests;
  }

  /** One of the reserved requests is for a call. */
  assign(operation: Call['operation']): void {
    this.#room -= 1;
    this.#counts[operation].requests += 1;
  }

  book(operation: Call['operation'], end: RequestEnd): void {
    const counts = this.#counts[operation];
    if (end === 'unsent') counts.requests -= 1;
    if (end === 'unpaid') counts.unpaid += 1;
  }

  noteAnswer({ operationToCount, isUnpaid, result }: Answer): void {
    if (!operationToCount || result.kind === 'failed') return;
    const counts = this.#counts[operationToCount];
    const isMiss = result.kind === 'miss' || (result.kind === 'hit' && result.isEmpty === true);
    if (isMiss) counts.misses += 1;
    if (!isUnpaid) counts.charged += 1;
    if (isMiss && !isUnpaid) counts.misspent += 1;
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
    const { company, people } = this.#counts;
    return this.#room + company.requests + people.requests;
  }

  /** Requests that limits count: those that were or may be charged. */
  get chargeable(): number {
    const { company, people } = this.#counts;
    return this.requests - company.unpaid - people.unpaid;
  }

  /** The most that they cost: reserved for a call not known yet, a request has the highest price. */
  get promisedMicros(): number {
    const { company, people } = this.#counts;
    const { companyMicros = 0, peopleMicros = 0 } = this.price ?? {};
    const known =
      (company.requests - company.unpaid) * companyMicros +
      (people.requests - people.unpaid) * peopleMicros;
    return known + this.#room * this.#dearest;
  }

  get isLimited(): boolean {
    return this.#limit.requests < Infinity || this.#limit.micros < Infinity;
  }

  /** Requests that its own limit leaves, and that of the job. */
  leftWith(ofJob: Amount = leftOf({})): number {
    const used = { requests: this.chargeable, micros: this.promisedMicros };
    return requestsFor(leastOf([ofJob, leftOf(this.#limit, used)]), this.#dearest);
  }

  /** In words; undefined if it is not what stops this service. */
  get reachedLimit(): string | undefined {
    if (this.leftWith() >= 1) return undefined;
    const { requests, micros } = this.#limit;
    const isCount = requests < Infinity && (micros === Infinity || this.chargeable >= requests);
    if (isCount) return `${counted(requests, 'call')} for ${this.name}`;
    if (micros === Infinity || !this.price) return undefined;
    return `${formatMoney(this.price.currency, micros / microsPerUnit)} for ${this.name}`;
  }

  get spend(): Spent[] {
    return operations.map((operation) => {
      const { requests, unpaid, charged, misspent, misses } = this.#counts[operation];
      const { each, currency } = priceFor(this.price, operation);
      const counts = { service: this.name, operation, requests, misses, currency };
      const micros = (requests - unpaid) * each;
      const paid = { charged: charged * each, misspent: misspent * each };
      return { ...counts, micros, ...paid };
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
