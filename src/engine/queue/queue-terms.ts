import { DossierError } from '../../core/errors.ts';
import type { PeopleTerms } from '../../core/rules/people-search.ts';
import { findPaidSince } from '../../core/rules/resume.ts';
import type { Exclusions } from '../../core/rules/suppression.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import type { QueueService } from './asked-services.ts';
import { findRepeatedMisses } from './misses/stored-misses.ts';

/** Plain data, because it may go to another thread. */
export interface QueueTerms {
  readonly job: string;
  readonly jobFingerprint: string;
  /** In the order in which they are asked. */
  readonly services: readonly QueueService[];
  /** Set by `--refresh`: only answers fetched by the same refresh count as already paid for. */
  readonly isRefresh?: boolean;
  /** Set by `dossier fix`, which looks up only changed rows. */
  readonly isFix?: boolean | undefined;
  readonly people: PeopleTerms | undefined;
  readonly exclusions?: Exclusions | undefined;
  readonly ledgerPath: string;
  readonly ledgerMustExist?: boolean;
}

/** A run with what it takes over from earlier runs. Plain data, like the terms. */
export interface QueuedRun extends Run {
  /** See `findPaidSince`. */
  readonly paidSince: number;
  /** The last published run, if this run would give the same outcomes from the same answers. */
  readonly follows: Pick<Run, 'id' | 'listId'> | null;
  /** Calls for known companies that are missing from the held result. */
  readonly vanishedCallIds: readonly number[];
  /** Services that never found a company: their URL may be wrong, so a second miss is awaited. */
  readonly distrusted: readonly string[];
}

export function queuedRun(ledger: Ledger, run: Run, terms: QueueTerms): QueuedRun {
  const misses = findRepeatedMisses(ledger, run, terms);
  const refresh = terms.isRefresh ? run.jobFingerprint : null;
  // Lookups of one slot have nothing in common. After companies vanished, what an unfinished run
  // missed is looked up again.
  const isAlone = run.kind === 'lookup' || misses.vanishedCallIds.length > 0;
  const unfinishedSince = isAlone ? undefined : ledger.runs.unfinishedSince(run, refresh);
  const paidSince = findPaidSince(run.startedAt, unfinishedSince);
  return { ...run, paidSince, follows: null, ...misses };
}

/** Two owners would pay for the same calls. Call inside a transaction. */
export function requireOwned({ runs }: Ledger, run: Pick<QueuedRun, 'id' | 'owner'>): void {
  if (runs.ownerOf(run.id) === run.owner) return;
  const message = `another process took over ${runName(run)}, because its lock file was removed; never remove lock files of a ledger in use`;
  throw new DossierError('JOB_BUSY', message);
}
