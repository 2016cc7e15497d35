import { dearestOf } from '../core/rules/budgets.ts';
import type { Exclusions } from '../core/rules/suppression.ts';
import { serviceIdentity } from '../engine/providers/providers.ts';
import type { SpendTerms } from '../engine/queue/count-spend.ts';
import type { QueueTerms } from '../engine/queue/queue-terms.ts';
import { jobFingerprint } from '../job/job-fingerprint.ts';
import {
  inlineName,
  type ResolvedJob,
  type ResolvedService,
  reuseAt,
} from '../job/resolved-job.ts';
import { payableAttempts } from './calls/start-budget.ts';
import type { Accounts } from './run-parts.ts';

/** Without accounts, as in a plan, requests are not counted against budgets. */
export function queueTerms(
  job: ResolvedJob,
  accounts: Accounts = [],
  exclusions?: Exclusions,
  isFix?: boolean,
): QueueTerms {
  const { services } = job;
  return {
    job: job.name,
    jobFingerprint: jobFingerprint(job, isFix),
    services: services.map((service, index) => ({
      name: service.name,
      isDescribed: service.name !== inlineName,
      provider: service.provider,
      url: service.url,
      adapter: service.adapter,
      reuse: reuseAt(service, job),
      spend: spendTerms(job, service, accounts, index),
    })),
    isRefresh: job.refresh !== undefined,
    isFix,
    people: job.people,
    exclusions,
    ledgerPath: job.ledger,
    ledgerMustExist: job.ledgerCare.mustExist,
  };
}

/** How old the people of a company may be that replace a failed search, by the identity of its service. */
export function staleMsOf(job: Pick<ResolvedJob, 'services' | 'reuse'>): Record<string, number> {
  return Object.fromEntries(
    job.services.map((one) => [serviceIdentity(one), reuseAt(one, job).staleOnFailureMs]),
  );
}

export function spendTerms(
  job: Pick<ResolvedJob, 'file' | 'services' | 'budget' | 'limits' | 'people'>,
  service: ResolvedService,
  accounts: Accounts,
  index: number,
): SpendTerms | undefined {
  const ownAccounts = accounts[index];
  if (!ownAccounts) return undefined;
  const { budget, people } = job;
  const { price, budget: own = {} } = service;
  const { timezone } = budget;
  const limitsIn = (unit: 'requests' | 'micros') => ({
    perDay: own.perDay?.[unit],
    perMonth: own.perMonth?.[unit],
  });
  const at = placeOf(service);
  const setIn = { perDay: own.perDay?.setIn, perMonth: own.perMonth?.setIn };
  const ofService = { accounts: ownAccounts, timezone, at, isOfService: true, setIn };
  return {
    accounts: ownAccounts,
    // If two of them are spent, messages name the first.
    budgets: [
      { ...ofService, ...limitsIn('requests') },
      ...(price ? [{ ...ofService, ...limitsIn('micros'), currency: price.currency }] : []),
      {
        ...budget,
        setIn: { perDay: job.file, perMonth: job.file },
        accounts: accounts.flatMap((some) => some ?? []),
        at: job.services.map(placeOf).join(', '),
      },
    ],
    price,
    dearestMicros: dearestOf(price, people !== undefined),
    attempts: payableAttempts(job, service),
  };
}

function placeOf({ name, isSample, url }: ResolvedService) {
  return name === inlineName && !isSample ? new URL(url).host : name;
}
