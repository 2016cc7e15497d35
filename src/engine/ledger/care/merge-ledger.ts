import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { parseCall } from '../../../core/contract/call.ts';
import { readIdentifiers } from '../../../core/contract/company-identifiers.ts';
import { readPeoplePage } from '../../../core/contract/operations.ts';
import { DossierError } from '../../../core/errors.ts';
import { readIdentity } from '../../../core/rules/company-identity.ts';
import { readAnswerJson } from '../../../core/runtime/json/parse-json.ts';
import type { NewAnswer } from '../calls/answers.ts';
import { type BodyLocation, bodiesIn, bodyColumns, bundlesIn } from '../calls/bodies.ts';
import { type LedgerFile, openExisting, openForMaintenance } from '../file/ledger-file.ts';
import { withLedgerErrors } from '../file/ledger-path.ts';
import { isAt } from '../file/locks.ts';
import { type Statements, statementsOn } from '../statements.ts';
import { forgottenIn } from './forgotten.ts';

const itemsAtOnce = 1_000;

/** Can be stopped and repeated, because it removes no answer. */
export function mergeLedger(given: string, other: string) {
  using source = openExisting(other);
  using target = openForMaintenance(given, false);
  if (isAt(target.path, statSync(source.path))) {
    throw new DossierError('USAGE', `${source.path} is the ledger itself; name another ledger`);
  }
  return withLedgerErrors(target.path, () => {
    // Ends with a rollback, because SQLite cannot commit after reading a damaged page.
    source.db.exec('begin');
    try {
      const counts = merge(target.db, source);
      target.db.pragma('wal_checkpoint(passive)');
      return { ledger: target.path, from: source.path, ...counts };
    } finally {
      if (source.db.inTransaction) source.db.exec('rollback');
    }
  });
}

function merge(db: Database.Database, { db: otherDb, path }: LedgerFile) {
  const [here, other] = [statementsOn(db), statementsOn(otherDb)];
  const there = otherStatements(other);
  const own = mergeStatements(here);
  const [bodies, bodiesThere] = [bodiesIn(here), bodiesIn(other)];
  const counts = { taken: 0, known: 0, repaired: 0, damaged: 0, forgotten: 0, hashes: 0 };
  const bundles = new Map<number, number>();
  // A merge also rescues answers from a damaged ledger, so skip unreadable parts.
  const tryTo = <Result>(read: () => Result) => withLedgerErrors(path, () => unlessDamaged(read));
  const forgotten = forgottenIn(here);
  inPortions(db, tryTo(forgottenIn(other).stored) ?? [], (line) => {
    counts.hashes += forgotten.put(line).changes;
  });

  const suppression = forgotten.suppression();

  const bundleOf = (id: number | null): number | null => {
    if (id === null) return null;
    const known = bundles.get(id);
    if (known !== undefined) return known;
    const bundle = tryTo(() => there.bundle(id));
    if (!bundle) throw new Error(`bundle ${id} was read before and is gone`);
    const added = Number(own.addBundle(bundle).lastInsertRowid);
    bundles.set(id, added);
    return added;
  };
  const locationOf = (answer: OtherAnswer): BodyLocation => {
    // A bundle may also have a forgotten company, so copy only this answer.
    if (!suppression.isEmpty) return bodies.put(bodiesThere.read(answer) ?? null);
    return { ...answer, bundleId: bundleOf(answer.bundleId) };
  };
  const idOf = (answer: OtherAnswer, callId: number): number | undefined => {
    const { fetchedAt, outcome, checksum, isNewest } = answer;
    const twins = own.twins({ callId, fetchedAt, outcome, checksum });
    const whole = twins.find((twin) => bodies.read(twin) !== null);
    if (whole) {
      counts.known += 1;
      return whole.id;
    }
    const [damaged] = twins;
    // An answer that the other ledger has replaced is taken only to repair a damaged copy here.
    if (!damaged && isNewest === 0) return undefined;
    if (tryTo(() => bodiesThere.read(answer) !== null) !== true) {
      counts.damaged += 1;
      return undefined;
    }
    const moved = { ...answer, ...locationOf(answer) };
    if (damaged) {
      own.repair({ ...moved, id: damaged.id });
      counts.repaired += 1;
      return damaged.id;
    }
    const id = Number(own.addAnswer({ ...moved, callId }).lastInsertRowid);
    own.addTwin(callId, fetchedAt, id);
    counts.taken += 1;
    return id;
  };
  const forgottenIds = new Set<string>();
  const isForgotten = (answer: OtherAnswer): boolean => {
    if (suppression.isEmpty) return false;
    const { companyId, request } = answer;
    const call = parseCall(request);
    if (call.operation === 'company' && suppression.has(call.identifier)) return true;
    const id = call.operation === 'company' ? companyId : call.body.companyId;
    if (id && (forgottenIds.has(id) || suppression.has({ kind: 'id', value: id }))) return true;
    const body = tryTo(() => bodiesThere.read(answer));
    if (!body || answer.outcome !== 'hit') return false;
    const json = readAnswerJson(body);
    if (companyId === null)
      return readPeoplePage(json)?.people.some(suppression.hasPerson) ?? false;
    return suppression.hasCompany(readIdentity(companyId, readIdentifiers(json)));
  };
  const take = (answer: OtherAnswer): void => {
    if (!isSound(answer)) {
      counts.damaged += 1;
      return;
    }
    if (isForgotten(answer)) {
      if (answer.companyId !== null) forgottenIds.add(answer.companyId);
      counts.forgotten += 1;
      return;
    }
    const callId = own.callOf(answer.key, answer.request);
    const answerId = idOf(answer, callId);
    if (answer.isNewest === 1 && answerId !== undefined) own.setNewest({ callId, answerId });
  };
  const lastId = there.lastIds.map((last) => tryTo(last)).find((id) => id != null) ?? 0;
  const answers = function* (isPage: 0 | 1) {
    const read = (after: number, upTo: number) =>
      tryTo(() => there.answers(isPage, after, Math.min(upTo, lastId)));
    for (let after = 0; after < lastId; after += idsAtOnce) {
      const some = read(after, after + idsAtOnce);
      if (some) yield* some;
      else
        for (let id = after + 1; id <= Math.min(lastId, after + idsAtOnce); id += 1) {
          const one = read(id - 1, id);
          if (one) yield* one;
          else if (isPage === 0) counts.damaged += 1;
        }
    }
  };
  inPortions(db, tryTo(there.services) ?? [], (service) => own.addService(service));
  // Companies first: only their answers show which people pages belong to a forgotten company.
  inPortions(db, answers(0), take);
  inPortions(db, answers(1), take);
  return counts;
}

const idsAtOnce = 200;

function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Database.SqliteError && /CORRUPT/.test(error.code)) return undefined;
    throw error;
  }
}

/** A damaged page may return rows that were never stored. */
function isSound({ outcome, key, request, fetchedAt }: OtherAnswer): boolean {
  const isText = typeof request === 'string' && Number.isInteger(fetchedAt);
  return Buffer.isBuffer(key) && isText && /^(?:hit|miss|invalid|oversized)$/.test(outcome);
}

function inPortions<Item>(
  db: Database.Database,
  items: Iterable<Item>,
  work: (item: Item) => unknown,
): void {
  let portion: Item[] = [];
  const commit = db.transaction(() => portion.forEach((item) => void work(item)));
  for (const item of items) {
    portion.push(item);
    if (portion.length < itemsAtOnce) continue;
    commit.immediate();
    portion = [];
  }
  commit.immediate();
}

interface OtherAnswer extends BodyLocation, Omit<NewAnswer, 'callId' | 'body' | 'aliasKeys'> {
  readonly id: number;
  readonly key: Buffer;
  readonly request: string;
  readonly aliasKeys: Buffer | null;
  readonly isNewest: 0 | 1;
}

/** Each statement reads few tables, because some may be damaged. */
function otherStatements(statements: Statements) {
  const { all, value, values } = statements;
  const largest = ['id) from answer', 'answer_id) from call', 'answer_id) from completed_call'];
  return {
    lastIds: largest.map((of) => value<number | null>(`select max(${of}`)),
    services: values<Buffer>(`select key from proven_service`),
    // In the order of ids, so the answers of a bundle are read together.
    answers: all<OtherAnswer>(`
      select a.id, c.key, c.request, a.outcome, a.status, a.message, a.company_id as companyId, a.match,
        a.attempts, a.duration_ms as durationMs, a.fetched_at as fetchedAt, a.alias_keys as aliasKeys,
        c.answer_id is a.id as isNewest, ${bodyColumns}
      from answer a cross join call c on c.id = a.call_id
      where iif(c.request glob 'people[?]*', 1, 0) = ? and a.id > ? and a.id <= ?
        and a.outcome <> 'failed' order by a.id`),
    bundle: bundlesIn(statements).get,
  };
}

function mergeStatements(statements: Statements) {
  const { db, run, all, value } = statements;
  prepareTwins(db);
  const addCall = run(`insert into call (key, request) values (?, ?) on conflict do nothing`);
  const findCall = value<number | undefined>(`select id from call where key = ?`);
  return {
    callOf: (key: Buffer, request: string) =>
      findCall(key) ?? Number(addCall(key, request).lastInsertRowid),
    addService: run(`insert into proven_service (key) values (?) on conflict do nothing`),
    addBundle: bundlesIn(statements).insert,
    addAnswer: run(`
      insert into answer (
        call_id, outcome, status, message, company_id, match, attempts, duration_ms, fetched_at,
        bundle_id, body_start, body_length, checksum, alias_keys)
      values (
        :callId, :outcome, :status, :message, :companyId, :match, :attempts, :durationMs, :fetchedAt,
        :bundleId, :start, :length, :checksum, :aliasKeys)`),
    addTwin: run(`insert into temp.own_answer (call_id, fetched_at, answer_id) values (?, ?, ?)`),
    twins: all<BodyLocation & { id: number }>(`
      select a.id, ${bodyColumns} from temp.own_answer o join answer a on a.id = o.answer_id
      where o.call_id = :callId and o.fetched_at = :fetchedAt
        and a.outcome = :outcome and a.checksum is :checksum
      order by a.id`),
    repair: run(`
      update answer set bundle_id = :bundleId, body_start = :start, body_length = :length,
        checksum = :checksum, alias_keys = :aliasKeys
      where id = :id`),
    setNewest: run(`
      update call set answer_id = :answerId, has_failed = 0
      where id = :callId and coalesce(
        (select fetched_at from answer where id = call.answer_id) <
        (select fetched_at from answer where id = :answerId), true)`),
  };
}

/** A temporary index of the answers here, because `answer` has no index by call. */
function prepareTwins(db: Database.Database): void {
  db.exec(`
    create temp table own_answer (
      call_id integer not null,
      fetched_at integer not null,
      answer_id integer not null,
      primary key (call_id, fetched_at, answer_id)
    ) strict, without rowid;
    insert into temp.own_answer select call_id, fetched_at, id from answer order by call_id, fetched_at, id;`);
}
