import type { Statements } from '../statements.ts';
import { type KnownAnswer, knownAnswerColumns } from './answers.ts';
import { keyBytes, mostAliasKeys } from './call-key.ts';

/** The larger the index is, the more answers may wait: each gathering touches many of its pages. */
const leastToGather = 16_384;
const shareToGather = 1 / 16;

/**
 * A company has several identifiers, and an answer to one of them may serve calls for the others. The keys of
 * those calls are spread over the whole index, so they are gathered into it many at a time: sorted, a
 * thousand take the time of a hundred.
 */
export function aliasesIn({ db, run, get, all }: Statements) {
  const find = all<[key: Buffer, before: number], KnownAnswer>(`
    select ${knownAnswerColumns} from alias l join answer a on a.id = l.answer_id
    where l.key = ? and a.fetched_at < ?`);
  const answer = all<[answerId: number, before: number], KnownAnswer>(`
    select ${knownAnswerColumns} from answer a where a.id = ? and a.fetched_at < ?`);
  const progress = get<[], { gatheredTo: number; last: number }>(`
    select answer_id as gatheredTo, (select coalesce(max(id), 0) from answer) as last
    from alias_progress where only_row = 1`);
  const gatherKeys = run<[object]>(`
    insert into alias (key, answer_id)
    select substr(a.alias_keys, 1 + n.value * ${keyBytes}, ${keyBytes}) as key, a.id
    from answer a cross join json_each('${keyPlaces}') n
    where a.id > :gatheredTo and a.id <= :last and length(a.alias_keys) > n.value * ${keyBytes}
    order by key, a.id
    on conflict do nothing`);
  const noteProgress = run<[last: number]>(
    `update alias_progress set answer_id = ? where only_row = 1`,
  );
  const notGathered = all<[], { id: number; keys: Buffer }>(`
    select id, alias_keys as keys from answer
    where id > (select answer_id from alias_progress where only_row = 1)
      and alias_keys is not null order by id`);
  let ungathered: ReadonlyMap<string, readonly number[]> | undefined;

  const readUngathered = () => {
    const found = new Map<string, number[]>();
    for (const { id, keys } of notGathered()) {
      for (let at = 0; at < keys.length; at += keyBytes) {
        const key = keys.toString('latin1', at, at + keyBytes);
        found.set(key, [...(found.get(key) ?? []), id]);
      }
    }
    return found;
  };
  const gatherOver = (least: (gatheredTo: number) => number) => {
    const { gatheredTo, last } = progress() ?? { gatheredTo: 0, last: 0 };
    if (last - gatheredTo < least(gatheredTo)) return;
    gatherKeys({ gatheredTo, last });
    noteProgress(last);
  };
  return {
    /**
     * The newest answer of another call whose company carries the identifier of this one, of those that came
     * before a time and are gathered. Undefined where several companies carry it: then only a call can tell
     * which one the service means.
     */
    aliasAnswer(key: Buffer, before: number): KnownAnswer | undefined {
      // A reader cannot gather, so it looks through the answers that are not gathered yet.
      if (db.readonly) ungathered ??= readUngathered();
      const answerIds = ungathered?.get(key.toString('latin1')) ?? [];
      const newer = answerIds.flatMap((answerId) => answer(answerId, before));
      // By time and not by id: an answer that was taken over from another ledger may be older.
      const carriers = [...newer, ...find(key, before)].sort(
        (one, other) => other.fetchedAt - one.fetchedAt || other.id - one.id,
      );
      const [newest] = carriers;
      const isOne = carriers.every(({ companyId }) => companyId === newest?.companyId);
      return isOne ? newest : undefined;
    },
    /** Gathers the keys of every stored answer for `aliasAnswer`. */
    gatherAliases: () => gatherOver(() => 1),
    /** Gathers once there is much to gather. */
    gatherManyAliases: () => gatherOver((gatheredTo) => leastToGather + gatheredTo * shareToGather),
    forgetKeys: run<[answerId: number]>(`update answer set alias_keys = null where id = ?`),
    forgetGathered: run<[answerId: number]>(`delete from alias where answer_id = ?`),
  };
}

const keyPlaces = JSON.stringify([...Array(mostAliasKeys).keys()]);
