import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { parseCall } from '../../../core/contract/call.ts';
import { DossierError } from '../../../core/errors.ts';
import { idKey, type Suppression } from '../../../core/rules/suppression.ts';
import { memo } from '../../../core/values/memo.ts';
import { readAnswerJson } from '../../../core/values/parse-json.ts';
import { isAt } from '../../../platform/files/lock-file.ts';
import {
  defaultProvider,
  providerOf,
  type Service,
  serviceIdentity,
  serviceOf,
} from '../../providers/providers.ts';
import { identifiersIn, peopleIn } from '../../providers/read-body.ts';
import { aliasesIn } from '../calls/aliases.ts';
import type { NewAnswer } from '../calls/answers.ts';
import {
  type BodyLocation,
  bodiesIn,
  bodyColumns,
  bundlesIn,
  type StoredBody,
} from '../calls/bodies.ts';
import { callKey, isPeople } from '../calls/call-key.ts';
import { servicesIn } from '../calls/services.ts';
import { type LedgerFile, openExisting, openForMaintenance } from '../file/ledger-file.ts';
import { withLedgerErrors } from '../file/ledger-path.ts';
import { clockIn, countedAt } from '../runs/clock.ts';
import { type Statements, statementsOn } from '../statements.ts';
import { forgottenIn } from './forgotten.ts';
import { renameServices, servicesOfRuns } from './rename-services.ts';

const itemsAtOnce = 1_000;

/** Can be stopped and repeated, because it removes no answer. */
export function mergeLedger(given: string, other: string) {
  // Also of an older version: a damaged ledger cannot be upgraded.
  using source = openExisting(other, true);
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

function merge(db: Database.Database, source: LedgerFile) {
  const here = statementsOn(db);
  const there = readableParts(source);
  const own = mergeStatements(here);
  const counts = { taken: 0, known: 0, repaired: 0, damaged: 0, forgotten: 0, hashes: 0 };
  const forgotten = forgottenIn(here);
  inPortions(db, there.forgotten(), (line) => {
    counts.hashes += forgotten.put(line).changes;
  });
  let latestAt = 0;
  const suppression = forgotten.suppression();
  const forgottenIds = new Set<string>();
  const copy = copyInto(own, there, !suppression.isEmpty);
  const take = (answer: OtherAnswer | undefined) => {
    if (!isSound(answer)) return 'damaged';
    if (!isForgotten(answer, suppression, forgottenIds, there)) return copy(answer);
    if (answer.companyId !== null)
      forgottenIds.add(idKey(answer.companyId, identityOf(there, answer)));
    return 'forgotten';
  };
  const count = (answer: OtherAnswer | undefined) => {
    const fate = take(answer);
    if (fate) counts[fate] += 1;
    if (fate === 'taken' && answer) latestAt = Math.max(latestAt, answer.countedAt);
  };
  inPortions(db, there.provenServices(), own.addProvenService);
  // Companies first: only their answers show which people pages belong to a forgotten company.
  inPortions(db, there.answers(0), count);
  inPortions(db, there.answers(1), count);
  db.transaction(renameServices)(db, there.runServices);
  // The other ledger may have judged by other rules.
  db.exec(`update service set judged_by = null where definition is not null`);
  // Here and not in a run: sorting many keys needs a file.
  db.transaction(aliasesIn(here).gatherAliases)();
  // As a start does, because answers may be from the future.
  db.transaction(clockIn(here).begin)(Date.now(), latestAt);
  return counts;
}

function copyInto(
  own: ReturnType<typeof mergeStatements>,
  there: ReadableParts,
  hasForgotten: boolean,
) {
  const { bodies } = own;
  const bundleOf = memo((id: number) => {
    const bundle = there.bundle(id);
    if (!bundle) throw new Error(`bundle ${id} was read before and is gone`);
    return Number(own.addBundle(bundle).lastInsertRowid);
  });
  const locationOf = (answer: OtherAnswer): BodyLocation => {
    // A bundle may also have a forgotten company, so copy only this answer.
    if (hasForgotten) return bodies.put(there.body(answer) ?? null);
    return { ...answer, bundleId: answer.bundleId && bundleOf(answer.bundleId) };
  };
  return (answer: OtherAnswer) => {
    const { countedAt, isNewest } = answer;
    const service = there.serviceOf(answer);
    const callId = own.callOf(answer, service ? own.services.idOf(service) : null);
    const setNewest = (answerId: number) =>
      isNewest === 1 && own.setNewest({ callId, answerId, now: Date.now() });
    const twins = own.twins({ ...answer, callId });
    const whole = twins.find((twin) => bodies.read(twin) !== null);
    if (whole) {
      setNewest(whole.id);
      return 'known';
    }
    const [damaged] = twins;
    // An answer that the other ledger has replaced is taken only to repair a damaged copy here.
    if (!damaged && isNewest === 0) return undefined;
    if (there.body(answer) === null) return 'damaged';
    const moved = { ...answer, ...locationOf(answer) };
    if (damaged) {
      own.repair({ ...moved, id: damaged.id });
      setNewest(damaged.id);
      return 'repaired';
    }
    const id = Number(own.addAnswer({ ...moved, callId, fetchedAt: countedAt }).lastInsertRowid);
    own.addTwin(callId, countedAt, id);
    setNewest(id);
    return 'taken';
  };
}

function isForgotten(
  answer: OtherAnswer,
  suppression: Suppression,
  forgottenIds: ReadonlySet<string>,
  there: ReadableParts,
) {
  if (suppression.isEmpty) return false;
  const { companyId, text } = answer;
  const call = parseCall(text);
  if (call.operation === 'company' && suppression.has(call.identifier)) return true;
  const id = call.operation === 'company' ? companyId : call.companyId;
  const service = identityOf(there, answer);
  if (id && forgottenIds.has(idKey(id, service))) return true;
  if (id && suppression.has({ kind: 'id', value: id }, service)) return true;
  const body = there.body(answer);
  if (!body || answer.result !== 'hit') return false;
  const json = readAnswerJson(body);
  const provider = providerOf(there.serviceOf(answer) ?? { provider: defaultProvider });
  if (companyId === null) return peopleIn(provider, json).some(suppression.hasPerson);
  return suppression.hasCompany(identifiersIn(provider, companyId, json), service);
}

function identityOf(there: ReadableParts, answer: OtherAnswer) {
  const service = there.serviceOf(answer);
  return service && serviceIdentity(service);
}

const idsAtOnce = 200;

/** A damaged page may return rows that were never stored. */
function isSound(answer: OtherAnswer | undefined): answer is OtherAnswer {
  return (
    Buffer.isBuffer(answer?.key) &&
    typeof answer.text === 'string' &&
    Number.isInteger(answer.fetchedAt) &&
    /^(?:hit|miss|invalid|oversized)$/.test(answer.result)
  );
}

function inPortions<Item>(
  db: Database.Database,
  items: Iterable<Item>,
  work: (item: Item) => unknown,
) {
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

interface OtherAnswer extends StoredBody, Omit<NewAnswer, 'callId' | 'body' | 'aliasKeys'> {
  /** Stored here as `fetchedAt`, because the clock steps of the other ledger do not fit our ids. */
  readonly countedAt: number;
  readonly key: Buffer;
  readonly text: string;
  readonly aliasKeys: Buffer | null;
  readonly isNewest: 0 | 1;
}

type ReadableParts = ReturnType<typeof readableParts>;

/** Empty, because a ledger that may be damaged is read as it is. */
const missingIn090 = `
  create temp table clock_step (answer_id integer, at integer, from_at integer, last_at integer);
  create temp view call as select *, request as text, null as service_id from main.call;
  create temp view answer as
    select *, null as flat_length, null as flat_version from main.answer`;

/** A merge also rescues answers from a damaged ledger, so skip unreadable parts. */
function readableParts({ db, path }: LedgerFile) {
  const tryTo = <Result>(read: () => Result) =>
    withLedgerErrors(path, () => {
      try {
        return read();
      } catch (error) {
        if (error instanceof Database.SqliteError && /CORRUPT/.test(error.code)) return null;
        throw error;
      }
    });
  const statements = statementsOn(db);
  const { all, value, values } = statements;
  const isOf090 = !db.prepare(`select 1 from sqlite_schema where name = 'service'`).get();
  const hasFormerName = db.prepare(
    `select 1 from pragma_table_info('call') where name = 'request'`,
  );
  if (isOf090) db.exec(missingIn090);
  else if (hasFormerName.get())
    db.exec(`create temp view call as select *, request as text from main.call`);
  const bodies = bodiesIn(statements);
  const bundles = bundlesIn(statements);
  // Each statement reads few tables, because some may be damaged.
  const services = servicesIn(statements);
  const identities = tryTo(() => servicesOfRuns(db)) ?? [];
  const serviceOfAnswer = ({ serviceId, key, text }: OtherAnswer): Service | undefined => {
    const stored = serviceId === null ? null : tryTo(() => services.get(serviceId));
    if (stored) return stored;
    const identity = identities.find((one) => callKey(one, text).equals(key));
    return identity === undefined ? undefined : serviceOf(identity);
  };
  const proven = values<Buffer>(`select key from proven_service`);
  const largest = ['id) from answer', 'answer_id) from call', 'answer_id) from completed_call'];
  const lastIds = largest.map((of) => tryTo(value<number | null>(`select max(${of}`)));
  const lastId = lastIds.find((id) => id !== null) ?? 0;
  const count = tryTo(() => clockIn(statements).countedAt(Date.now())) ?? ((_, date) => date);
  // In the order of ids, so the answers of a bundle are read together.
  const answersOf = all<Omit<OtherAnswer, 'countedAt'> & { readonly id: number }>(`
    select a.id, c.key, c.text, a.outcome as result, a.status, a.message, a.company_id as companyId, a.match,
      a.attempts, a.duration_ms as durationMs, a.fetched_at as fetchedAt, a.alias_keys as aliasKeys,
      c.answer_id is a.id as isNewest, ${bodyColumns}
    from answer a cross join call c on c.id = a.call_id
    where ${isPeople('c.text')} = ? and a.id > ? and a.id <= ?
      and a.outcome <> 'failed' order by a.id`);
  return {
    forgotten: () => tryTo(forgottenIn(statements).stored) ?? [],
    serviceOf: serviceOfAnswer,
    provenServices: () => tryTo(proven) ?? [],
    runServices: identities,
    bundle: (id: number) => tryTo(() => bundles.get(id)),
    body: (answer: OtherAnswer) => tryTo(() => bodies.read(answer)),
    *answers(isPage: 0 | 1) {
      const read = (after: number, upTo: number) =>
        tryTo(() => answersOf(isPage, after, Math.min(upTo, lastId)))?.map(
          (answer): OtherAnswer => ({ ...answer, countedAt: count(answer.id, answer.fetchedAt) }),
        );
      for (let after = 0; after < lastId; after += idsAtOnce) {
        const some = read(after, after + idsAtOnce);
        if (some) yield* some;
        else
          for (let id = after + 1; id <= Math.min(lastId, after + idsAtOnce); id += 1) {
            const one = read(id - 1, id);
            if (one) yield* one;
            else if (isPage === 0) yield undefined;
          }
      }
    },
  };
}

function mergeStatements(statements: Statements) {
  const { db, change, all, value } = statements;
  prepareTwins(db);
  const addCall = change(`insert into call (key, text, service_id) values (?, ?, ?)`);
  const findCall = value<number | undefined>(`select id from call where key = ?`);
  return {
    services: servicesIn(statements),
    callOf: ({ key, text }: OtherAnswer, serviceId: number | null) =>
      findCall(key) ?? Number(addCall(key, text, serviceId).lastInsertRowid),
    addProvenService: change(`insert into proven_service (key) values (?) on conflict do nothing`),
    addBundle: bundlesIn(statements).insert,
    bodies: bodiesIn(statements),
    addAnswer: change(`
      insert into answer (
        call_id, outcome, status, message, company_id, match, attempts, duration_ms, fetched_at,
        bundle_id, body_start, body_length, checksum, flat_length, flat_version, alias_keys)
      values (
        :callId, :result, :status, :message, :companyId, :match, :attempts, :durationMs, :fetchedAt,
        :bundleId, :start, :length, :checksum, :flatLength, :flatVersion, :aliasKeys)`),
    addTwin: change(
      `insert into temp.own_answer (call_id, fetched_at, answer_id) values (?, ?, ?)`,
    ),
    twins: all<BodyLocation & { id: number }>(`
      select a.id, ${bodyColumns} from temp.own_answer o join answer a on a.id = o.answer_id
      where o.call_id = :callId and o.fetched_at in (:fetchedAt, :countedAt)
        and a.outcome = :result and a.checksum is :checksum
      order by a.id`),
    repair: change(`
      update answer set bundle_id = :bundleId, body_start = :start, body_length = :length,
        checksum = :checksum, flat_length = :flatLength, flat_version = :flatVersion,
        alias_keys = :aliasKeys
      where id = :id`),
    setNewest: change(`
      update call set answer_id = :answerId, has_failed = 0
      where id = :callId and coalesce(
        (select ${countedAt} from answer a where a.id = call.answer_id) <
        (select ${countedAt} from answer a where a.id = :answerId), true)`),
  };
}

/** A temporary index of the answers here, because `answer` has no index by call. */
function prepareTwins(db: Database.Database) {
  db.exec(`
    create temp table own_answer as select call_id, fetched_at, id as answer_id from answer;
    create index temp.own_answer_by_call on own_answer (call_id, fetched_at)`);
}
