import type { Country } from '../../contract/countries.ts';
import { IdSet } from '../../runtime/id-set.ts';
import { noteExpiry, type QueueState } from '../queue-state.ts';

/** The people that were found for companies, where the run would find them by cache hits alone. */
export interface StandingPeople {
  /** Keeps the searches of a company, whose people are counted once; false where they have to be made. */
  keep(companyId: string, country: Country): boolean;
}

export function standingPeople(state: QueueState, followed: number): StandingPeople {
  const { ledger, run, terms, counts, source } = state;
  const kept = new IdSet();
  return {
    keep(companyId, country) {
      const company = { job: terms.job, companyId, country };
      const searches = ledger.searches.ofCompany({ ...company, upToRun: run.id });
      const [first] = searches;
      // A search that came after the run that is followed belongs to one that is not published, or of
      // another list.
      if (!first || first.runId > followed) return false;
      // A search that failed or was not ended is made again.
      if (!terms.keepsOutcomes && searches.some(({ state: how }) => how !== 'ended')) return false;
      if (kept.has(first.id)) return true;
      const pages = searches.flatMap(({ id }) => ledger.searches.pages(id));
      const cached = source.find(pages.map((page) => ({ ...page, mayBeCached: 1 })));
      const hits = pages.flatMap(({ callId, answerId }) => {
        const hit = cached.get(callId);
        return hit?.answer.id === answerId ? [hit] : [];
      });
      if (!terms.keepsOutcomes && hits.length < pages.length) return false;
      kept.add(first.id);
      for (const hit of hits) {
        counts.calls[hit.source] += 1;
        noteExpiry(state, hit);
      }
      for (const { state: how, received, isComplete } of searches) {
        counts.people += received;
        if (how === 'failed') counts.failedSearches += 1;
        else if (isComplete === 0) counts.incompleteSearches += 1;
      }
      return true;
    },
  };
}
