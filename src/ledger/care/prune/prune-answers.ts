import type { Database } from 'better-sqlite3';
import { bodiesIn } from '../../calls/bodies.ts';
import type { Bundle } from '../../calls/bundles.ts';
import { type BundledBody, bodyIn, bundleBodies, unpackBundle } from '../../calls/bundles.ts';
import { removeGoneSearches } from './prune-runs.ts';

/** What went with answers that nobody needs. */
export interface PrunedAnswers {
  readonly answers: number;
  readonly calls: number;
  /** Searches of companies that are in no kept run. */
  readonly searches: number;
}

/**
 * Takes answers from before a time that no kept run refers to, with their identifiers and questions. Looks
 * through the whole ledger. Runs inside a transaction.
 */
export function pruneAnswers(db: Database, before: number): PrunedAnswers {
  const searches = dropStraySearches(db);
  db.exec(`
    create temp table used_answer (id integer primary key);
    insert or ignore into temp.used_answer
      select answer_id from outcome where answer_id is not null
      union all select answer_id from completed_call;
    create temp table gone_answer (id integer primary key)`);
  const answers = db
    .prepare<{ before: number }>(`
      insert into temp.gone_answer
      select id from answer where fetched_at < :before and id not in temp.used_answer`)
    .run({ before }).changes;
  if (answers > 0) {
    db.exec(`
      update call set answer_id = null where answer_id in temp.gone_answer;
      update answer set replaced_id = null where replaced_id in temp.gone_answer;
      delete from alias where answer_id in temp.gone_answer;
      delete from answer where id in temp.gone_answer;
      -- The next answer may get the id of one that is gone, and its identifiers are to be gathered.
      update alias_progress set answer_id = min(
        answer_id, (select coalesce(max(id), 0) from answer))`);
  }
  dropBundles(db);
  const calls = dropCalls(db);
  db.exec(`drop table temp.used_answer; drop table temp.gone_answer`);
  return { answers, calls, searches };
}

/** People are searched for a company that a row has found. */
function dropStraySearches(db: Database): number {
  db.exec(`
    create temp table if not exists gone_search (id integer primary key);
    delete from temp.gone_search;
    insert into temp.gone_search
      select s.id from search s join run u on u.id = s.run_id and u.pruned_at is not null
      where s.company_id not in (
        select a.company_id from outcome o join answer a on a.id = o.answer_id
        where a.company_id is not null)`);
  return removeGoneSearches(db);
}

/** Drops calls that have no answer and that nothing refers to. */
function dropCalls(db: Database): number {
  return db
    .prepare(`
      delete from call where answer_id is null and id not in (
        select call_id from answer
        union select call_id from completed_call
        union select call_id from open_call
        union select call_id from lease
        union select call_id from waiting
        union select call_id from outcome where call_id is not null)`)
    .run().changes;
}

interface SparseBundle extends Bundle {
  readonly id: number;
}

interface LiveBody {
  readonly answerId: number;
  readonly start: number;
  readonly length: number;
  readonly checksum: number;
}

/**
 * A bundle goes with its last answer. One of which less than half is needed is packed anew; with more, it
 * stays as it is, since packing would gain little.
 */
function dropBundles(db: Database): void {
  db.exec(`
    create temp table live_bundle as
      select bundle_id as id, sum(body_length) as bytes from answer
      where bundle_id is not null group by bundle_id;
    create unique index temp.live_bundle_id on live_bundle (id);
    delete from bundle where id not in (select id from temp.live_bundle)`);
  const sparse = db.prepare<{ after: number }, SparseBundle>(`
    select b.id, b.encoding, b.plain_length as plainLength, b.bytes
    from temp.live_bundle l cross join bundle b on b.id = l.id
    where b.id > :after and 2 * l.bytes < b.plain_length order by b.id limit 1`);
  if (sparse.get({ after: 0 })) packAnew(db, sparse);
  db.exec(`drop table temp.live_bundle`);
}

function packAnew(
  db: Database,
  sparse: { get(place: { after: number }): SparseBundle | undefined },
): void {
  // Answers have no index by their bundle.
  db.exec(`
    create temp table live_body as
      select bundle_id, id as answer_id, body_start, body_length, checksum from answer
      where bundle_id is not null;
    create index temp.live_body_bundle on live_body (bundle_id)`);
  const live = db.prepare<{ id: number }, LiveBody>(`
    select answer_id as answerId, body_start as start, body_length as length, checksum
    from temp.live_body where bundle_id = :id order by body_start`);
  const move = db.prepare(`
    update answer set bundle_id = :bundleId, body_start = :start where id = :answerId`);
  const drop = db.prepare(`delete from bundle where id = :id`);
  const bodies = bodiesIn(db);
  for (let bundle = sparse.get({ after: 0 }); bundle; bundle = sparse.get({ after: bundle.id })) {
    const places = live.all({ id: bundle.id });
    const plain = unpackBundle(bundle);
    const found = places.map((place) => plain && bodyIn(plain, place));
    const whole = found.filter((body) => body !== null);
    // A damaged one stays for a backup to mend.
    if (whole.length < found.length) continue;
    const packed: BundledBody[] = bundleBodies(whole);
    for (const [index, place] of places.entries()) {
      const { bundleId, start } = bodies.put(packed[index] ?? null);
      move.run({ answerId: place.answerId, bundleId, start });
    }
    drop.run({ id: bundle.id });
  }
  db.exec(`drop table temp.live_body`);
}
