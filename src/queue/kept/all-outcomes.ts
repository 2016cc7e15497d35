import type { Country } from '../../contract/countries.ts';
import type { KnownOutcome } from '../../ledger/rows/outcomes.ts';
import { IdSet } from '../../runtime/id-set.ts';
import { ownAnswers } from '../answer-source.ts';
import type { QueueState } from '../queue-state.ts';
import type { FollowedRun, StandingOutcomes } from './standing-outcomes.ts';

/**
 * Keeps every outcome of the run that this one follows: also one whose answer has expired, that failed or is
 * stale. So a run that only mends rows asks for no other.
 */
export function openAllOutcomes(state: QueueState, follows: FollowedRun): StandingOutcomes {
  const { ledger, run, terms, counts } = state;
  const calls = new IdSet();
  const companies = new Set<string>();
  const answers = ownAnswers(ledger, run, { ...terms, reuse: anyAge });

  const countPeople = (companyId: string, country: Country) => {
    if (companies.has(`${country} ${companyId}`)) return;
    companies.add(`${country} ${companyId}`);
    const company = { job: terms.job, companyId, country, upToRun: follows.id };
    for (const { state: how, received, isComplete } of ledger.searches.ofCompany(company)) {
      counts.people += received;
      if (how === 'failed') counts.failedSearches += 1;
      else if (isComplete === 0) counts.incompleteSearches += 1;
    }
  };

  return {
    keep(rows) {
      const known = rows.filter(({ rowId }) => follows.rowIds.has(rowId));
      const rowIds = known.map(({ rowId }) => rowId);
      const outcomes = new Map(
        ledger.outcomes.upTo(run.id, rowIds).map((outcome) => [outcome.rowId, outcome]),
      );
      const tasks = [...outcomes.values()].flatMap(taskOf);
      const hits = answers.find(tasks);
      const kept = new Set<number>();
      for (const { rowId, country } of known) {
        const outcome = outcomes.get(rowId);
        // An outcome that came after that run belongs to one that did not finish.
        if (!outcome || outcome.runId > follows.id) continue;
        const { callId } = outcome;
        kept.add(rowId);
        counts.rows[outcome.status] += 1;
        if (outcome.isStale) counts.stale += 1;
        if (callId === null) continue;
        counts.calls[calls.add(callId) ? 'reused' : 'shared'] += 1;
        const companyId = hits.get(callId)?.answer.companyId;
        if (run.hasPeople && outcome.status === 'matched' && companyId && country)
          countPeople(companyId, country);
      }
      return kept;
    },
  };
}

const forever = Number.POSITIVE_INFINITY;
const anyAge = {
  ...{ companiesMs: forever, missesMs: forever, peopleMs: forever },
  ...{ spread: 0, staleOnFailureMs: 0 },
} as const;

function taskOf({ callId, request }: KnownOutcome) {
  if (callId === null || request === null) return [];
  return [{ callId, request, searchId: null, mayBeCached: 1 } as const];
}
