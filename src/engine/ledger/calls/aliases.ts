import type { Statements } from '../statements.ts';
import { type KnownAnswer, knownAnswerColumns } from './answers.ts';
import { keyBytes } from './call-key.ts';

/** Each update of the index touches many pages, so a larger index is updated less often. */
const leastToGather = 16_384;
const shareToGather = 1 / 16;

/** Adds keys in sorted batches, because random keys would each change a different index page. */
export function aliasesIn({ db, change, get, all, value }: Statements) {
  const find = all<KnownAnswer>(`
    select ${knownAnswerColumns} from alias l join answer a on a.id = l.answer_id
    where l.key = ?`);
  const answer = all<KnownAnswer>(`select ${knownAnswerColumns} from answer a where a.id = ?`);
  const progress = get<{ gatheredTo: number; last: number }>(`
    select answer_id as gatheredTo, (select coalesce(max(id), 0) from answer) as last
    from alias_progress where only_row = 1`);
  const mostKeys = value<number | null>(`
    select max(length(alias_keys)) / ${keyBytes} from answer where id > :gatheredTo`);
  const gatherKeys = change(`
    insert into alias (key, answer_id)
    select substr(a.alias_keys, 1 + n.value * ${keyBytes}, ${keyBytes}) as key, a.id
    from answer a cross join json_each(:places) n
    where a.id > :gatheredTo and a.id <= :last and length(a.alias_keys) > n.value * ${keyBytes}
    order by key, a.id
    on conflict do nothing`);
  const noteProgress = change(`update alias_progress set answer_id = ? where only_row = 1`);
  const notGathered = all<{ id: number; keys: Buffer }>(`
    select id, alias_keys as keys from answer
    where id > (select answer_id from alias_progress where only_row = 1)
      and alias_keys is not null order by id`);
  let ungathered: ReadonlyMap<string, readonly number[]> | undefined;

  const readUngathered = () => {
    const idsByKey = new Map<string, number[]>();
    for (const { id, keys } of notGathered()) {
      for (let at = 0; at < keys.length; at += keyBytes) {
        const key = keys.toString('latin1', at, at + keyBytes);
        idsByKey.set(key, [...(idsByKey.get(key) ?? []), id]);
      }
    }
    return idsByKey;
  };
  const gatherOver = (least: (gatheredTo: number) => number) => {
    const { gatheredTo, last } = progress() ?? { gatheredTo: 0, last: 0 };
    if (last - gatheredTo < least(gatheredTo)) return;
    const places = JSON.stringify([...Array(mostKeys({ gatheredTo }) ?? 0).keys()]);
    gatherKeys({ gatheredTo, last, places });
    noteProgress(last);
  };
  return {
    /**
     * Undefined if several companies have this identifier: only a call shows which one is meant.
     */
    aliasAnswer(
      key: Buffer,
      before: number,
      dated = (found: KnownAnswer) => found,
    ): KnownAnswer | undefined {
      // A read-only connection cannot update the index, so it also reads answers not yet in it.
      if (db.readonly) ungathered ??= readUngathered();
      const answerIds = ungathered?.get(key.toString('latin1')) ?? [];
      const newer = answerIds.flatMap((answerId) => answer(answerId));
      // Sort by time, because a merged answer has a new id but may be older.
      const carriers = [...newer, ...find(key)]
        .map(dated)
        .filter(({ fetchedAt }) => fetchedAt < before)
        .sort((one, other) => other.fetchedAt - one.fetchedAt || other.id - one.id);
      const [newest] = carriers;
      const isOne = carriers.every(({ companyId }) => companyId === newest?.companyId);
      return isOne ? newest : undefined;
    },
    gatherAliases: () => gatherOver(() => 1),
    gatherManyAliases: () => gatherOver((gatheredTo) => leastToGather + gatheredTo * shareToGather),
    forgetKeys: change<[answerId: number]>(`update answer set alias_keys = null where id = ?`),
    forgetGathered: change<[answerId: number]>(`delete from alias where answer_id = ?`),
  };
}
