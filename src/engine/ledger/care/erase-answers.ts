import type { Database } from 'better-sqlite3';
import type { expiredOutcome, suppressedOutcome } from '../../../core/rules/row-outcome.ts';
import type { Provider } from '../../providers/provider.ts';
import { readCompany } from '../../providers/read-body.ts';
import type { NewAnswer } from '../calls/answers.ts';
import { bodiesIn, bodyColumns, bundleBodies, type StoredBody } from '../calls/bodies.ts';
import { servicesIn } from '../calls/services.ts';
import { checksumOf, defineOutcomeChecksum } from '../rows/outcomes.ts';
import { statementsOn } from '../statements.ts';

/** Also repacks every bundle with bytes that no answer uses. Call inside a transaction. */
export function eraseAnswers(
  db: Database,
  end: ErasedOutcome,
  outcomes = 'answer_id in temp.gone_answer',
  alsoPacked = 'false',
  edit: Edit = (body) => body,
) {
  db.pragma('secure_delete = on');
  defineOutcomeChecksum(db);
  db.exec(`update outcome as o set ${withoutAnswer(end)} where ${outcomes}`);
  dropSearches(
    db,
    `select distinct search_id from completed_call
     where answer_id in temp.gone_answer and search_id is not null`,
  );
  db.exec(`delete from completed_call where answer_id in temp.gone_answer`);
  dropAnswers(db, `coalesce(l.bytes, 0) < b.plain_length or ${alsoPacked}`, edit);
}

type ErasedOutcome = typeof suppressedOutcome | typeof expiredOutcome;

function withoutAnswer({ status, reason, message }: ErasedOutcome) {
  const columns = {
    status: `'${status}'`,
    is_stale: '0',
    reason: `'${reason}'`,
    message: `'${message}'`,
    answer_id: 'null',
    match: 'null',
    call_id: 'null',
    candidate_index: 'null',
  };
  const values = Object.entries(columns).map(([column, value]) => `${column} = ${value}`);
  return `${values.join(', ')}, checksum = ${checksumOf('o', columns)}`;
}

type Edit = (body: Buffer, provider: Provider) => Buffer;

/**
 * Callers make sure that no outcome or completed call uses the answers in temp.gone_answer.
 * Also repacks bundles, and returns how many calls are left without an answer and deleted.
 */
export function dropAnswers(db: Database, packed: string, edit?: Edit): number {
  db.exec(`
    update call set answer_id = null where answer_id in temp.gone_answer;
    update call set kept_answer_id = null where kept_answer_id in temp.gone_answer;
    update answer set replaced_id = null where replaced_id in temp.gone_answer;
    delete from alias where answer_id in temp.gone_answer;
    delete from answer where id in temp.gone_answer;
    -- A new answer may get the id of a removed one, and its identifiers must still be gathered.
    update alias_progress set answer_id = min(
      answer_id, (select coalesce(max(id), 0) from answer))`);
  packBundles(db, packed, edit);
  return db
    .prepare(`
      delete from call where answer_id is null and id not in (
        select call_id from answer
        union select call_id from completed_call
        union select call_id from possibly_charged_call
        union select call_id from waiting
        union select call_id from outcome where call_id is not null)`)
    .run().changes;
}

/**
 * `which` is an SQL condition on a bundle `b` and `l.bytes`, its bytes in use. Without `edit`,
 * damaged bundles stay for repair.
 */
function packBundles(db: Database, which: string, edit?: Edit) {
  const bundles = db.prepare<[], number>(`
    select b.id from bundle b left join (
      select bundle_id, sum(body_length + coalesce(flat_length, 0)) as bytes
      from answer group by bundle_id
    ) l on l.bundle_id = b.id where ${which}`);
  const stale = bundles.pluck().all();
  // A temporary index by bundle, because all bundles may not fit into memory.
  db.exec(`
    create temp table if not exists stale_body (
      bundle_id integer, start integer, answer_id integer, primary key (bundle_id, start, answer_id)
    ) strict, without rowid;
    delete from temp.stale_body`);
  db.prepare(`
    insert into temp.stale_body select bundle_id, body_start, id from answer
    where bundle_id in (select value from json_each(?))`).run(JSON.stringify(stale));
  const answersIn = db.prepare<
    [number],
    StoredBody & Pick<NewAnswer, 'companyId'> & { readonly answerId: number }
  >(`
    select a.id as answerId, a.company_id as companyId, ${bodyColumns} from temp.stale_body s
    join answer a on a.id = s.answer_id where s.bundle_id = ? order by s.start`);
  const move = db.prepare(`
    update answer set bundle_id = :bundleId, body_start = :start, body_length = :length,
      checksum = :checksum, flat_length = :flatLength, flat_version = :flatVersion
    where id = :answerId`);
  const drop = db.prepare(`delete from bundle where id = ?`);
  const statements = statementsOn(db);
  const bodies = bodiesIn(statements);
  const services = servicesIn(statements);
  for (const bundleId of stale) {
    const answers = answersIn.all(bundleId);
    const read = answers.map((answer) => {
      const body = bodies.read(answer);
      return body && Buffer.from(body);
    });
    if (!edit && read.some((body) => !body)) continue;
    const left = read.map((body, at) => {
      const { serviceId = null, companyId = null } = answers[at] ?? {};
      const provider = services.provider(serviceId);
      const edited = body && edit ? edit(body, provider) : body;
      if (!edited || companyId === null) return edited && { body: edited };
      return { body: edited, flat: readCompany(provider, companyId, { body: edited })?.flat };
    });
    const packed = bundleBodies(left.filter((one) => one != null)).values();
    for (const [at, { answerId }] of answers.entries()) {
      move.run({ ...bodies.put(left[at] ? (packed.next().value ?? null) : null), answerId });
    }
    drop.run(bundleId);
  }
}

/** Stores ids, because several statements need them and the first delete rows that `select` reads. */
export function fillTempTable(
  db: Database,
  name: string,
  select: string,
  params: object = {},
): number {
  db.exec(`
    create temp table if not exists ${name} (id integer primary key);
    delete from temp.${name}`);
  return db.prepare(`insert into temp.${name} ${select}`).run(params).changes;
}

export function fillWithIds(db: Database, name: string, ids: readonly number[]): void {
  fillTempTable(db, name, `select value from json_each(:ids)`, { ids: JSON.stringify(ids) });
}

export function dropSearches(db: Database, select: string, params: object = {}): number {
  const gone = fillTempTable(db, 'gone_search', select, params);
  db.exec(`
    delete from found where search_id in temp.gone_search;
    delete from completed_call where search_id in temp.gone_search;
    delete from search where id in temp.gone_search`);
  return gone;
}
