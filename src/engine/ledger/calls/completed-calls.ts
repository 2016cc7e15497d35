import { identifierKinds } from '../../../core/contract/identifier-kinds.ts';
import type { Source } from '../../../core/rules/outcomes.ts';
import type { Statements } from '../statements.ts';
import { type AnswersByCall, type KnownAnswer, knownAnswerColumns } from './answers.ts';

export interface CallCompletion {
  readonly callId: number;
  readonly answer: Pick<KnownAnswer, 'id'>;
  readonly source: Source;
  readonly searchId: number | null;
  readonly page: number;
}

/** Company lookups that a run sent, by the kind of identifier. */
export interface MadeCalls {
  readonly kind: string;
  readonly result: string;
  readonly serviceId: number | null;
  readonly number: number;
}

export function completedCallsIn(
  { get, all, inPortions }: Statements,
  setNewest: (answers: AnswersByCall) => void,
) {
  const complete = inPortions(
    '(?, ?, ?, ?, ?, ?)',
    (rows) => `
      insert into completed_call (run_id, call_id, answer_id, source, search_id, page)
      values ${rows}`,
  );
  const completion = get<KnownAnswer & { source: Source }>(`
    select ${knownAnswerColumns}, d.source
    from completed_call d join answer a on a.id = d.answer_id
    where d.run_id = ? and d.call_id = ?`);
  const madeByKind = all<MadeCalls>(`
    select k.value as kind, a.outcome as result, c.service_id as serviceId, count(*) as number
    from completed_call d cross join answer a on a.id = d.answer_id
    cross join call c on c.id = d.call_id cross join json_each(:kinds) k
    where d.run_id = :runId and d.source = 'called' and d.search_id is null
      and (instr(c.text, '?' || k.value || '=') or instr(c.text, '&' || k.value || '='))
    group by k.value, a.outcome, c.service_id`);
  const searchesMade = get<{ searches: number; empty: number }, [runId: number]>(`
    select count(distinct s.id) as searches,
      count(distinct s.id) filter (where s.received = 0) as empty
    from completed_call d join search s on s.id = d.search_id
    where d.run_id = ? and d.source = 'called'`);
  return {
    searchesMade,
    complete(runId: number, calls: readonly CallCompletion[]) {
      const joined = calls.filter(({ source }) => source === 'joined');
      // The answer of another identifier becomes the newest of this call, so the next run uses it.
      if (joined.length > 0)
        setNewest(new Map(joined.map(({ callId, answer }) => [callId, answer.id])));
      complete(
        calls.map(({ callId, answer, source, searchId, page }) => [
          runId,
          callId,
          answer.id,
          source,
          searchId,
          searchId === null ? null : page,
        ]),
      );
    },
    completion(runId: number, callId: number) {
      const stored = completion(runId, callId);
      if (!stored) return undefined;
      const { source, ...answer } = stored;
      return { answer, source };
    },
    /** Slow: reads all calls of the run. */
    madeByKind: (runId: number) => madeByKind({ runId, kinds: JSON.stringify(identifierKinds) }),
  };
}
