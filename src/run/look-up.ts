import { hash } from 'node:crypto';
import type { Country } from '../core/contract/countries.ts';
import { exits } from '../core/errors/exit-codes.ts';
import { DossierError } from '../core/errors.ts';
import type { RowCandidate } from '../core/rules/next-candidate.ts';
import { noCounts } from '../core/rules/outcomes.ts';
import { suppressedOutcome, unmatched } from '../core/rules/row-outcome.ts';
import { createSuppression, type Exclusions } from '../core/rules/suppression.ts';
import { openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import { identityForIds, serviceIdentity } from '../engine/providers/providers.ts';
import { type JobRuns, withJob } from '../engine/runs/job-runs.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { readExclusions } from '../lists/read-suppressed.ts';
import { completeOpenCalls } from './calls/complete-open-calls.ts';
import { createStartBudget } from './calls/start-budget.ts';
import { beginRun } from './open-run.ts';
import { priceRun } from './price-run.ts';
import type { RunParts } from './run-parts.ts';
import { queueTerms } from './terms-of-job.ts';

/** `candidates` are sorted, best first. */
export interface LookUpQuestion {
  readonly text: string;
  readonly candidates: readonly RowCandidate[];
  readonly country: Country;
}

/** A run of one row, so paid answers are stored and reused. */
export async function lookUp(
  job: ResolvedJob,
  question: LookUpQuestion,
  parts: Omit<RunParts, 'version'>,
) {
  const { clock, signal, accounts } = parts;
  const { onBusy } = parts.observer;
  const { exclusions } = await readExclusions(job, signal);
  const { candidates, country } = question;
  if (isSuppressed(job, exclusions, candidates)) {
    const at = clock.wallMs();
    const row = {
      ...unmatched,
      ...suppressedOutcome,
      identifierKind: null,
      identifier: null,
      service: null,
      country,
    };
    const none = { people: undefined, counts: noCounts(), spend: [] };
    return { row, ...none, startedAt: at, endedAt: at, exitCode: exits.rowsFailed };
  }
  const work = async (runs: JobRuns) => {
    const { budget = createStartBudget(job) } = parts;
    for (;;) {
      const { damaged, ...found } = await runOneRow(runs, job, question, { ...parts, budget });
      if (damaged.length === 0) return { ...found, spend: budget.spend };
      // Each round has fewer damaged answers, so the loop ends.
      for (const answerId of damaged) runs.ledger.calls.discardAnswer(answerId);
    }
  };
  return await withJob(queueTerms(job, accounts, exclusions), work, { signal, onBusy }, true);
}

async function runOneRow(
  runs: JobRuns,
  job: ResolvedJob,
  { text, candidates, country }: LookUpQuestion,
  parts: Omit<Parameters<typeof completeOpenCalls>[2], 'hasEverFound'>,
) {
  const startedAt = parts.clock.wallMs();
  const columns = ['identifier'];
  const oneRowList = {
    rowLimit: null,
    inputStamp: null,
    inputName: 'command line',
    columns,
    startedAt,
  };
  const opening = beginRun(runs, job, { kind: 'lookup', ...oneRowList }, async (begun, queue) => {
    const counts = await queue.add([{ number: 1, key: text, cells: [text], country, candidates }]);
    const list = { columns, keyColumns: null, inputSha256: hash('sha256', text) };
    if (counts.calls.open > 0 && parts.onPriced) {
      await parts.onPriced(await priceRun(runs, job, { ...begun, ...list }, queue, parts), []);
    }
    // Only now, because what is not complete is dropped if the price is declined.
    return { run: await runs.completeList(begun, list), queue, counts };
  });
  const { run, ...opened } = await opening.catch(async (error: unknown) => {
    if (error instanceof DossierError && error.code === 'PRICE_DECLINED') await runs.dropRead();
    throw error;
  });
  const hasEverFound = job.services.map((service) =>
    runs.ledger.calls.hasEverFound(serviceIdentity(service)),
  );
  const counts = await completeOpenCalls(opened, job, { ...parts, hasEverFound });
  const endedAt = parts.clock.wallMs();
  await runs.finish(run, endedAt);
  const damaged: number[] = [];
  const records = runs.records.ofRun({ ...run, hasWholeCompanies: true }, (answerId) =>
    damaged.push(answerId),
  );
  const [row] = records.rows();
  const [people] = run.hasPeople ? records.people() : [];
  if (!row) throw new Error(`the lookup ${run.id} has lost its row`);
  const exitCode =
    row.status === 'matched' && counts.failedSearches === 0 ? exits.finished : exits.rowsFailed;
  return { row, people, counts, startedAt, endedAt, exitCode, damaged };
}

/** Also true for a forgotten identifier, which must not be stored again. */
function isSuppressed(
  { ledger, services }: ResolvedJob,
  { suppressed }: Exclusions,
  candidates: readonly RowCandidate[],
) {
  using past = openLedgerToRead(ledger);
  const suppression = createSuppression([...suppressed, ...(past?.forgotten.sets() ?? [])]);
  const idsAt = identityForIds(services);
  return candidates.some(([kind, value]) => suppression.has({ kind, value }, idsAt));
}
