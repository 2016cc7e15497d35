import type { Country } from '../../core/contract/countries.ts';
import { laterCandidates } from '../../core/rules/next-candidate.ts';
import { countedAs } from '../../core/rules/outcomes.ts';
import { rowOutcomeFor } from '../../core/rules/row-outcome.ts';
import { IdSet } from '../../core/runtime/id-set.ts';
import { pairs } from '../../core/runtime/pairs.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import type { KnownOutcome } from '../ledger/rows/rows.ts';
import { type CachedAnswer, noteExpiry, ownAnswers, type QueueState } from './queue-state.ts';
import type { IdentifiedRow } from './run-queue.ts';
import { keepsCompany } from './vanished.ts';

/** A kept row must get the outcome that the queue would give it. */
export function createOutcomeKeeper(opened: QueueState) {
  const { ledger, run, counts, terms } = opened;
  const { follows } = run;
  if (!follows) return () => noRows;
  const earlier = ledger.lists.rowIds(follows.listId);
  // `dossier fix` looks up only changed rows, so it also keeps failures and answers of any age.
  const source = ownAnswers(ledger, run, { ...terms, reuse: anyAge });
  const state = terms.isFix ? { ...opened, source } : opened;
  const calls = new IdSet();
  const keepPeople = createPeopleKeeper(state, follows.id);

  return (rows: readonly IdentifiedRow[], rowIds: readonly number[]): ReadonlySet<number> => {
    const kept = new Set<number>();
    const known = rowIds.filter((rowId) => earlier.has(rowId));
    const outcomes = new Map(
      ledger.outcomes.upTo(run.id, known).map((outcome) => [outcome.rowId, outcome]),
    );
    const cached = state.source.find(
      [...outcomes.values()].flatMap(({ callId, request }) =>
        callId === null || request === null ? [] : [{ callId, request, ...lookup }],
      ),
    );
    for (const [row, rowId] of pairs(rows, rowIds)) {
      const outcome = outcomes.get(rowId);
      // An outcome newer than `follows` belongs to an unpublished run or to a different list.
      if (!outcome || outcome.runId > follows.id) continue;
      const taken = answersOf(state, row, outcome, cached);
      const last = taken?.at(-1)?.hit.answer;
      const isSame = taken && !outcome.isStale && (!last || last.id === outcome.answerId);
      if (!isSame && !terms.isFix) continue;
      const companyId = last?.companyId;
      const hasPeople = run.hasPeople && outcome.status === 'matched' && companyId && row.country;
      // If the people are searched again, the row may change too.
      if (hasPeople && !keepPeople(companyId, row.country)) continue;
      kept.add(outcome.rowId);
      counts.rows[outcome.status] += 1;
      if (!keepsCompany(outcome, cached.get(outcome.callId ?? 0)?.answer))
        counts.rows.stale += outcome.isStale;
      for (const { callId, hit } of taken ?? []) {
        counts.calls[calls.add(callId) ? countedAs(hit.source) : 'shared'] += 1;
        noteExpiry(state, hit);
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
  state: QueueState,
  row: IdentifiedRow,
  { status, answerId, callId, candidateIndex }: KnownOutcome,
  cached: ReadonlyMap<number, CachedAnswer>,
) {
  if (row.reject) return status === 'invalid' && answerId === null ? [] : undefined;
  if (state.isSuppressed(row)) return status === 'suppressed' ? [] : undefined;
  const hit = cached.get(callId ?? 0);
  if (!hit || callId === null || candidateIndex === null) return undefined;
  const before = candidateIndex === 0 ? [] : missesBefore(state, row, candidateIndex);
  return before && [...before, { callId, hit }];
}

/** Returns undefined if an earlier candidate would be looked up again. */
function missesBefore(
  { ledger, terms, source }: QueueState,
  { candidates, country }: IdentifiedRow,
  candidateIndex: number,
) {
  if (!country) return undefined;
  const tried = laterCandidates({ country, candidates }).slice(0, candidateIndex);
  const tasks = tried.flatMap(({ call }) => {
    const { key, request } = keyedCall(terms.service.url, call);
    const callId = ledger.calls.find(key);
    return callId === undefined ? [] : [{ callId, request, ...lookup }];
  });
  const cached = source.find(tasks);
  const misses = tasks.flatMap(({ callId }) => {
    const hit = cached.get(callId);
    const next = hit && rowOutcomeFor(hit.answer, hit.source).next;
    return hit && next === 'candidate' ? [{ callId, hit }] : [];
  });
  return misses.length === candidateIndex ? misses : undefined;
}

function createPeopleKeeper(state: QueueState, followed: number) {
  const { ledger, run, terms, counts, source } = state;
  const kept = new IdSet();
  return (companyId: string, country: Country) => {
    const company = { job: terms.job, companyId, country };
    const searches = ledger.searches.ofCompany({ ...company, runId: run.id });
    const [first] = searches;
    if (!first || first.runId > followed) return false;
    if (kept.has(first.id)) return true;
    const pages = searches.flatMap(({ id }) => ledger.searches.pages(id));
    const cached = source.find(pages.map((page) => ({ ...page, mayBeCached: 1 })));
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
      noteExpiry(state, hit);
    }
    for (const { state: how, received, isComplete } of searches) {
      counts.people += received;
      if (how === 'failed') counts.failedSearches += 1;
      else if (isComplete === 0) counts.incompleteSearches += 1;
    }
    return true;
  };
}
