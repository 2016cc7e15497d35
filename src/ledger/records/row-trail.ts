import type { Country } from '../../contract/countries.ts';
import type { IdentifierKind } from '../../contract/identifier-kinds.ts';
import { laterCandidates, type RowCandidate } from '../../rules/next-candidate.ts';
import type { Outcome, Source } from '../../rules/outcomes.ts';
import { keyedCall } from '../calls/call-key.ts';
import { lastOutcome } from '../rows/outcomes.ts';
import type { RecordedRun } from '../run-records.ts';
import type { Statements } from '../statements.ts';
import type { RecordParts } from './record-parts.ts';

export interface TrailedCandidate {
  readonly kind: IdentifierKind;
  readonly value: string;
  /** `open` where it was not asked for yet, `spare` where one before it was enough. */
  readonly outcome: Outcome | 'open' | 'spare';
  readonly answer: TrailedAnswer | undefined;
}

interface TrailedAnswer {
  /** How the run came by it; null where the row keeps what an earlier run found. */
  readonly source: Source | null;
  readonly status: number | null;
  readonly message: string | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly fetchedAt: number;
}

export function rowTrailsIn({ get, value }: Statements, { lists, openRowsOf }: RecordParts) {
  type FoundAnswer = TrailedAnswer & { readonly outcome: Outcome };
  const answerColumns = `
    a.outcome, a.status, a.message, a.attempts, a.duration_ms as durationMs,
    a.fetched_at as fetchedAt`;
  const findRow = get<[{ runId: number; rowId: number }], StoredTrail>(`
    select r.country, r.candidates, o.run_id as outcomeRun, o.status, o.place,
      o.call_id as callId, o.answer_id as answerId, a.company_id as companyId
    from row r left join outcome o on ${lastOutcome} left join answer a on a.id = o.answer_id
    where r.id = :rowId`);
  const findCall = value<[key: Buffer], number | undefined>(`select id from call where key = ?`);
  const completed = get<[runId: number, callId: number], FoundAnswer>(`
    select t.source, ${answerColumns}
    from completed_call t join answer a on a.id = t.answer_id
    where t.run_id = ? and t.call_id = ?`);
  // The given answer, or the newest of the call.
  const kept = get<[answerId: number | null, callId: number], FoundAnswer>(`
    select null as source, ${answerColumns} from answer a
    where a.id = coalesce(?, (select answer_id from call where id = ?))`);
  /** The answer that a run has had to a call, or an earlier run whose outcome the row keeps. */
  const answerOf = (callId: number, runId: number, row: StoredTrail): FoundAnswer | undefined => {
    const own = completed(runId, callId);
    if (own || row.outcomeRun === null) return own;
    const answerId = callId === row.callId ? row.answerId : null;
    const found = completed(row.outcomeRun, callId) ?? kept(answerId, callId);
    return found && { ...found, source: null };
  };
  return (run: RecordedRun & { readonly service: string }, number: number) => {
    const [asked] = lists.rowsAt(run.listId, [number]);
    const row = asked && findRow({ runId: run.id, rowId: asked.rowId });
    if (!row) return undefined;
    const open = openRowsOf(run);
    const isOpen = open.ids.has(asked.rowId) && row.outcomeRun !== run.id;
    const waitsFor = open.places.get(asked.rowId) ?? 0;
    const last = isOpen ? waitsFor - 1 : (row.place ?? -1);
    const { country } = row;
    const candidates = JSON.parse(row.candidates) as RowCandidate[];
    const calls = country ? laterCandidates({ country, candidates, place: -1 }) : [];
    return {
      country,
      /** The company that the row shows. */
      companyId: isOpen || row.status !== 'matched' ? null : row.companyId,
      candidates: candidates.map(([kind, value], place): TrailedCandidate => {
        const call = calls.find((later) => later.place === place)?.call;
        if (place > last || !call) {
          return { kind, value, outcome: isOpen ? 'open' : 'spare', answer: undefined };
        }
        const callId = findCall(keyedCall(run.service, call).key);
        const answer = callId === undefined ? undefined : answerOf(callId, run.id, row);
        return { kind, value, outcome: answer?.outcome ?? 'open', answer };
      }),
    };
  };
}

interface StoredTrail {
  readonly country: Country | null;
  readonly candidates: string;
  readonly outcomeRun: number | null;
  readonly status: string | null;
  readonly place: number | null;
  readonly callId: number | null;
  readonly answerId: number | null;
  readonly companyId: string | null;
}
