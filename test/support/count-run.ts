import { expect } from 'vitest';
import { type Counts, noCounts } from '../../src/core/rules/outcomes.ts';
import type { Ledger } from '../../src/engine/ledger/open-ledger.ts';
import { serviceOf } from '../../src/engine/providers/providers.ts';

/** The counts of a run that has kept nothing of another, counted from the tables and not as it noted them. */
export function countRun(ledger: Ledger, runId: number): Counts {
  const run = ledger.runs.get(runId);
  if (!run) throw new Error(`run ${runId} is not in the ledger`);
  const { rows } = noCounts();
  for (const { status, isStale } of ledger
    .records(undefined)
    .ofRun(run, () => expect.unreachable())
    .rows()) {
    rows[status] += 1;
    if (isStale) rows.stale += 1;
  }
  const { open, leased, called, reused, joined, failed } = countCalls(ledger, runId);
  const searches = countSearches(ledger, runId);
  return {
    rows,
    calls: {
      open: open + leased,
      made: called - failed,
      reused,
      joined,
      failed,
      shared: expect.any(Number),
    },
    people: searches.people,
    services: expect.any(Object),
    failedSearches: searches.failed,
    incompleteSearches: searches.incomplete,
  };
}

/** More than any test has. */
const mostIds = 3_000;
const ids = Array.from({ length: mostIds }, (_, index) => index + 1);

/** The calls of a run, by how far they came. */
export function countCalls({ calls, runs, services }: Ledger, runId: number) {
  const completed = ids.flatMap((callId) => calls.completion(runId, callId) ?? []);
  const from = (wanted: string) => completed.filter(({ source }) => source === wanted).length;
  const askedIds = runs.get(runId)?.services.flatMap((one) => services.find(serviceOf(one)) ?? []);
  const open = askedIds?.flatMap((serviceId) =>
    calls.listOpenCalls({ runId, after: 0, limit: mostIds, serviceId }),
  );
  return {
    open: open?.length ?? 0,
    leased: leasedBy(calls, runId),
    called: from('called'),
    reused: from('reused'),
    joined: from('joined'),
    failed: completed.filter(({ answer }) => answer.result === 'failed').length,
    possiblyCharged: calls.possiblyCharged(runId).length,
  };
}

/** Two runs may lease one call, so that each of the others is looked from. */
function leasedBy(calls: Ledger['calls'], runId: number): number {
  const others = ids.slice(0, 20).filter((id) => id !== runId);
  const leases = others.flatMap((id) => [...calls.leasedElsewhere(id)]);
  return new Set(leases.filter(([, holder]) => holder === runId).map(([callId]) => callId)).size;
}

/** The people searches of a run, by how they ended. */
function countSearches({ searches, runs }: Ledger, runId: number) {
  const job = runs.get(runId)?.job ?? '';
  const searchesOfRun = ids
    .flatMap((id) => searches.get(id) ?? [])
    .filter((search) => search.runId === runId);
  const companies = new Map(
    searchesOfRun.map(({ companyId, country, serviceId }) => [
      `${companyId}${country}${serviceId}`,
      { job, runId, companyId, country, serviceId },
    ]),
  );
  const found = [...companies.values()].flatMap((company) => searches.ofCompany(company));
  const inState = (wanted: string) => found.filter(({ state }) => state === wanted);
  return {
    open: inState('open').length,
    ended: inState('ended').length,
    failed: inState('failed').length,
    incomplete: inState('ended').filter(({ isComplete }) => isComplete === 0).length,
    people: found.reduce((people, { received }) => people + received, 0),
  };
}
