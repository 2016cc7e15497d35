import type { Country } from '../../../core/contract/countries.ts';
import { laterCandidates, nextCandidate } from '../../../core/rules/next-candidate.ts';
import { countedAs } from '../../../core/rules/outcomes.ts';
import { rowOutcomeFor } from '../../../core/rules/row-outcome.ts';
import { IdSet } from '../../../core/values/id-set.ts';
import { pairs } from '../../../core/values/pairs.ts';
import type { KnownOutcome } from '../../ledger/rows/outcomes.ts';
import { createAskedServices } from '../asked-services.ts';
import { keepsCompany } from '../misses/stored-misses.ts';
import { noteExpiry, type QueueState } from '../queue-state.ts';
import type { IdentifiedRow } from '../run-queue.ts';
import { countSearch } from '../search-people.ts';
import { type CachedAnswer, createAnswerCache, findFreshHit } from './answer-cache.ts';

/**
 * The state of the queue, perhaps with another cache. A copy shares its counts and maps, but would
 * keep an old `freshUntil`.
 */
type Keeping = Omit<QueueState, 'freshUntil'>;

/** Returns the ids of the rows that it kept. */
export type OutcomeKeeper = (
  rows: readonly IdentifiedRow[],
  rowIds: readonly number[],
) => ReadonlySet<number>;

/** Keeps only rows for which the queue would decide the same, so keeping never changes a result. */
export function createOutcomeKeeper(opened: QueueState): OutcomeKeeper {
  const { ledger, run, counts, terms } = opened;
  const { follows } = run;
  if (!follows) return () => noRows;
  const earlier = ledger.lists.rowIds(follows.listId);
  // `dossier fix` looks up only changed rows, so it also keeps failures and answers of any age.
  const cache = createAnswerCache(
    ledger,
    run,
    createAskedServices(
      ledger,
      terms.services.map((service) => ({ ...service, reuse: anyAge })),
    ),
  );
  const state: Keeping = terms.isFix ? { ...opened, cache } : opened;
  const noteKept = (hit: CachedAnswer) => noteExpiry(opened, hit);
  const calls = new IdSet();
  const keepPeople = createPeopleKeeper(state, follows.id, noteKept);

  return (rows, rowIds) => {
    const kept = new Set<number>();
    const known = rowIds.filter((rowId) => earlier.has(rowId));
    const outcomes = new Map(
      ledger.outcomes.upTo(run.id, known).map((outcome) => [outcome.rowId, outcome]),
    );
    const cached = state.cache.find(
      [...outcomes.values()].flatMap(({ callId, text, serviceId }) =>
        callId === null || text === null ? [] : [{ callId, text, serviceId, ...lookup }],
      ),
    );
    for (const [row, rowId] of pairs(rows, rowIds)) {
      const outcome = outcomes.get(rowId);
      // An outcome newer than `follows` belongs to an unpublished run or to a different list.
      if (!outcome || outcome.runId > follows.id) continue;
      const answers = answersOf(state, row, outcome, cached);
      const last = answers?.at(-1)?.hit.answer;
      const isSame = answers && !outcome.isStale && (!last || last.id === outcome.answerId);
      if (!isSame && !terms.isFix) continue;
      const companyId = last?.companyId;
      const hasPeople = run.hasPeople && outcome.status === 'matched' && companyId && row.country;
      // If the people are searched again, the row may change too.
      const { serviceId } = outcome;
      if (hasPeople && !keepPeople(companyId, row.country, serviceId)) continue;
      kept.add(outcome.rowId);
      counts.rows[outcome.status] += 1;
      if (!keepsCompany(outcome, cached.get(outcome.callId ?? 0)?.answer))
        counts.rows.stale += outcome.isStale;
      for (const { callId, hit } of answers ?? []) {
        counts.calls[calls.add(callId) ? countedAs(hit.source) : 'shared'] += 1;
        noteKept(hit);
      }
    }
    return kept;
  };
}

const noRows: ReadonlySet<number> = new Set();
const forever = Number.POSITIVE_INFINITY;
const anyAge = {
  companiesMs: forever,
  missesMs: forever,
  peopleMs: forever,
  spread: 0,
  staleOnFailureMs: 0,
};

const lookup = { searchId: null, mayBeCached: 1 } as const;

function answersOf(
  state: Keeping,
  row: IdentifiedRow,
  outcome: KnownOutcome,
  cached: ReadonlyMap<number, CachedAnswer>,
) {
  const { status, answerId, callId, candidateIndex } = outcome;
  if (row.reject) return status === 'invalid' && answerId === null ? [] : undefined;
  if (state.isSuppressed(row)) return status === 'suppressed' ? [] : undefined;
  if (callId === null && status === 'invalid') return isTaken(state, row) ? undefined : [];
  const hit = cached.get(callId ?? 0);
  if (!hit || callId === null || candidateIndex === null) return undefined;
  const serviceIndex = state.services.ofCall(outcome).index;
  if (state.services.isWaterfall) {
    const fresh = findFreshHit(state, row);
    if (fresh) return fresh.hit.answer.id === hit.answer.id ? [{ callId, hit }] : undefined;
    // The queue would ask the next service now, or another one meanwhile answers first.
    const next =
      row.country &&
      nextCandidate(placeOf(row, serviceIndex, candidateIndex), state.services.takes);
    if (status === 'matched' || next) return undefined;
  }
  const isFirst = candidateIndex === 0 && serviceIndex === 0;
  const before = isFirst ? [] : missesBefore(state, row, serviceIndex, candidateIndex);
  return before && [...before, { callId, hit }];
}

function isTaken({ services }: Keeping, { candidates, country }: IdentifiedRow) {
  return country && nextCandidate({ country, candidates }, services.takes);
}

const placeOf = (row: IdentifiedRow, serviceIndex: number, candidateIndex: number) => ({
  country: row.country as Country,
  candidates: row.candidates,
  serviceIndex,
  candidateIndex,
});

/** Returns undefined if an earlier candidate would be looked up again. */
function missesBefore(
  { cache, services }: Keeping,
  { candidates, country }: IdentifiedRow,
  serviceIndex: number,
  candidateIndex: number,
) {
  if (!country) return undefined;
  const tried = laterCandidates({ country, candidates }, services.takes).filter(
    (place) =>
      place.serviceIndex < serviceIndex ||
      (place.serviceIndex === serviceIndex && place.candidateIndex < candidateIndex),
  );
  const asked = tried.map((place) => services.keyed(place.call, place.serviceIndex));
  const misses = cache.chooseAll(asked).flatMap((hit) => {
    if (hit?.callId === undefined) return [];
    const { next } = rowOutcomeFor(hit.answer, hit.source);
    return next === 'candidate' ? [{ callId: hit.callId, hit }] : [];
  });
  return misses.length === tried.length ? misses : undefined;
}

function createPeopleKeeper(
  { ledger, run, terms, counts, cache }: Keeping,
  followed: number,
  noteKept: (hit: CachedAnswer) => void,
) {
  const kept = new IdSet();
  return (companyId: string, country: Country, serviceId: number | null) => {
    const company = { job: terms.job, companyId, country, serviceId };
    const searches = ledger.searches.ofCompany({ ...company, runId: run.id });
    const [first] = searches;
    if (!first || first.runId > followed) return false;
    if (kept.has(first.id)) return true;
    const pages = searches.flatMap(({ id }) => ledger.searches.pages(id));
    const cached = cache.find(pages.map((page) => ({ ...page, mayBeCached: 1 })));
    const hits = pages.flatMap(({ callId, answerId }) => {
      const hit = cached.get(callId);
      return hit?.answer.id === answerId ? [hit] : [];
    });
    const isSame =
      hits.length === pages.length && searches.every(({ state: how }) => how === 'ended');
    if (!isSame && !terms.isFix) return false;
    kept.add(first.id);
    for (const hit of hits) {
      counts.calls[countedAs(hit.source)] += 1;
      noteKept(hit);
    }
    for (const { state: how, received, isComplete } of searches) {
      counts.people += received;
      countSearch(counts, how === 'failed', isComplete !== 0);
    }
    return true;
  };
}
