import type { Database } from 'better-sqlite3';
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
export function aliasesIn(db: Database) {
  const statements = prepareStatements(db);
  let ungathered: ReadonlyMap<string, readonly number[]> | undefined;

  const gather = () => {
    const { gatheredTo, last } = statements.progress.get() ?? nothing;
    if (last === gatheredTo) return;
    statements.gather.run({ gatheredTo, last });
    statements.noteProgress.run({ last });
  };
  return {
    /**
     * The newest answer of another call whose company carries the identifier of this one, of those that came
     * before a time and are gathered. Undefined where several companies carry it: then only a call can tell
     * which one the service means.
     */
    aliasAnswer(key: Buffer, before: number): KnownAnswer | undefined {
      // A reader cannot gather, so it looks through the answers that are not gathered yet.
      if (db.readonly) ungathered ??= readUngathered(statements.ungathered.all());
      const answerIds = ungathered?.get(key.toString('latin1')) ?? [];
      const newer = answerIds.flatMap((answerId) => statements.answer.all({ answerId, before }));
      const carriers = [...newer, ...statements.find.all({ key, before })];
      // By time and not by id: an answer that was taken over from another ledger may be older.
      const [newest] = carriers.sort((one, other) => ageOrder(other, one));
      const isOne = carriers.every(({ companyId }) => companyId === newest?.companyId);
      return isOne ? newest : undefined;
    },
    /** Gathers the keys of every stored answer for `aliasAnswer`. */
    gatherAliases: gather,
    /** Gathers once there is much to gather. */
    gatherManyAliases() {
      const { gatheredTo, last } = statements.progress.get() ?? nothing;
      if (last - gatheredTo >= leastToGather + gatheredTo * shareToGather) gather();
    },
    forget(answerId: number) {
      statements.forgetKeys.run({ answerId });
      statements.forgetGathered.run({ answerId });
    },
  };
}

function ageOrder(one: KnownAnswer, other: KnownAnswer): number {
  return one.fetchedAt - other.fetchedAt || one.id - other.id;
}

const nothing = { gatheredTo: 0, last: 0 };

interface Ungathered {
  readonly id: number;
  readonly keys: Buffer;
}

function readUngathered(answers: readonly Ungathered[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { id, keys } of answers) {
    for (let at = 0; at < keys.length; at += keyBytes) {
      const key = keys.toString('latin1', at, at + keyBytes);
      const known = found.get(key);
      if (known) known.push(id);
      else found.set(key, [id]);
    }
  }
  return found;
}

const keyPlaces = JSON.stringify([...Array(mostAliasKeys).keys()]);

function prepareStatements(db: Database) {
  return {
    find: db.prepare<{ key: Buffer; before: number }, KnownAnswer>(`
      select ${knownAnswerColumns} from alias l join answer a on a.id = l.answer_id
      where l.key = :key and a.fetched_at < :before`),
    answer: db.prepare<{ answerId: number; before: number }, KnownAnswer>(`
      select ${knownAnswerColumns} from answer a
      where a.id = :answerId and a.fetched_at < :before`),
    progress: db.prepare<[], { gatheredTo: number; last: number }>(`
      select answer_id as gatheredTo, (select coalesce(max(id), 0) from answer) as last
      from alias_progress where only_row = 1`),
    noteProgress: db.prepare(`update alias_progress set answer_id = :last where only_row = 1`),
    gather: db.prepare(`
      insert into alias (key, answer_id)
      select substr(a.alias_keys, 1 + n.value * ${keyBytes}, ${keyBytes}) as key, a.id
      from answer a cross join json_each('${keyPlaces}') n
      where a.id > :gatheredTo and a.id <= :last and length(a.alias_keys) > n.value * ${keyBytes}
      order by key, a.id
      on conflict do nothing`),
    ungathered: db.prepare<[], Ungathered>(`
      select id, alias_keys as keys from answer
      where id > (select answer_id from alias_progress where only_row = 1)
        and alias_keys is not null order by id`),
    forgetKeys: db.prepare(`update answer set alias_keys = null where id = :answerId`),
    forgetGathered: db.prepare(`delete from alias where answer_id = :answerId`),
  };
}
