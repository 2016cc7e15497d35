import type { Database } from 'better-sqlite3';
import { parseCall } from '../../../core/contract/call.ts';
import { readIdentifiers } from '../../../core/contract/company-identifiers.ts';
import { DossierError } from '../../../core/errors.ts';
import { aliasCalls, readIdentity } from '../../../core/rules/company-identity.ts';
import type { RowCandidate } from '../../../core/rules/next-candidate.ts';
import { expiredEnd, suppressedEnd } from '../../../core/rules/row-verdict.ts';
import {
  companyKeys,
  type Exclusions,
  keyOf,
  personKeys,
  suppressionBy,
} from '../../../core/rules/suppression.ts';
import { searchFor } from '../../../core/rules/value-search.ts';
import { jsonText } from '../../../core/runtime/json/json-text.ts';
import { readAnswerJson } from '../../../core/runtime/json/parse-json.ts';
import { aliasesIn } from '../calls/answers.ts';
import { type BodyLocation, bodiesIn, bodyColumns } from '../calls/bodies.ts';
import { keyBytes } from '../calls/call-key.ts';
import { type LedgerFile, openExisting, refuseDamaged } from '../file/ledger-file.ts';
import { withLedgerErrors } from '../file/ledger-path.ts';
import { checksumOf, defineOutcomeChecksum, type RowTexts, rowChecksum } from '../rows/rows.ts';
import { countedAt } from '../runs/clock.ts';
import { type Statements, statementsOn } from '../statements.ts';
import { clearPeople, forgottenIn, peopleIn } from './forgotten.ts';
import {
  dropAnswers,
  dropCalls,
  dropSearches,
  fillTempTable,
  fillWithIds,
  giveBack,
  packBundles,
  refuseRunsInUse,
} from './prune-ledger.ts';

/** Stored until all data to forget is erased, so the next `forget` can finish a killed one. */
export interface Intent {
  /** Includes the other identifiers of the same companies and people. */
  readonly keys: readonly string[];
  readonly rowKeys: readonly string[];
  /** Calls of the company and its people. */
  readonly requests: readonly string[];
  readonly jobs: readonly string[];
  readonly counts: Readonly<Record<'companies' | 'people' | 'answers' | 'rows', number>>;
}

/** Call `finishForgetting` after rewriting results. */
export function forgetInLedger(
  { db, path }: LedgerFile,
  asked: readonly string[],
  lockedJobs: readonly string[],
  maybe: readonly string[] = [],
) {
  return withLedgerErrors(path, () => {
    refuseDamaged(db, path);
    return db
      .transaction(() => {
        refuseRunsInUse(db, path, lockedJobs);
        aliasesIn(statementsOn(db)).gatherAliases();
        const before = readIntent(db);
        const { hasKey } = forgottenIn(statementsOn(db)).suppression();
        const found = findInLedger(db, asked, maybe, before.keys);
        eraseInLedger(db, found);
        const both = (part: 'rowKeys' | 'requests' | 'jobs') => [
          ...new Set([...before[part], ...found[part]]),
        ];
        const sum = (what: keyof Intent['counts']) => before.counts[what] + found.counts[what];
        const intent: Intent = {
          keys: found.keys,
          rowKeys: both('rowKeys'),
          requests: both('requests'),
          // If a value was forgotten before, the ledger no longer shows which jobs used it, so the
          // results of all jobs are rewritten.
          jobs: asked.some(hasKey) ? lockedJobs : both('jobs'),
          counts: {
            companies: sum('companies'),
            people: sum('people'),
            answers: sum('answers'),
            rows: sum('rows'),
          },
        };
        db.prepare(`insert or replace into forgetting (only_row, intent) values (1, ?)`).run(
          JSON.stringify(intent),
        );
        return { ...found, ...intent };
      })
      .immediate();
  });
}

function readIntent(db: Database): Intent {
  const stored = db.prepare<[], string>(`select intent from forgetting`).pluck().get();
  const counts = { companies: 0, people: 0, answers: 0, rows: 0 };
  const none = { keys: [], rowKeys: [], requests: [], jobs: [], counts };
  return stored ? { ...none, ...JSON.parse(stored) } : none;
}

/** Clears free pages and SQLite's log, which still contain forgotten data. */
export function finishForgetting({ db, path }: LedgerFile): void {
  withLedgerErrors(path, () => {
    db.pragma('secure_delete = on');
    db.exec(`delete from forgetting`);
    giveBack(db, path);
    const [{ busy } = { busy: 0 }] = db.pragma('wal_checkpoint(truncate)') as { busy: number }[];
    if (busy === 0) return;
    const message = `another program is reading ${path}, so ${path}-wal still contains forgotten data`;
    throw new DossierError('JOB_BUSY', message);
  });
}

/**
 * Writes only temporary tables, which `eraseInLedger` reads. Keys in `maybe` count only if the
 * ledger has them: `john.doe.it` is a domain, but may be the id of a person.
 */
export function findInLedger(
  db: Database,
  asked: readonly string[],
  maybe: readonly string[] = [],
  before: readonly string[] = [],
) {
  const wanted = new Map([...asked, ...maybe].map((key) => [key, [key]]));
  let size: number;
  let scanned: ReturnType<typeof scanAnswers>;
  do {
    size = wanted.size;
    scanned = scanAnswers(db, wanted);
    // The same person may also be stored under another id.
    for (const { key, by } of scanned.names) {
      if (/^(?:person|profile) /.test(key)) wanted.set(key, wanted.get(key) ?? by);
    }
  } while (wanted.size > size);
  const { companies, people, names } = scanned;
  const matched = new Set(names.flatMap(({ by }) => by));
  const given = [...asked, ...maybe.filter((key) => matched.has(key))];
  // Rows, messages and answers of others may use another identifier of the company.
  const known = new Set([...before, ...given, ...names.map(({ key }) => key)]);
  const keys = [...known];
  const suppression = suppressionBy((key) => known.has(key));
  const search = searchFor(keys);
  const similar = new Set<string>();

  const test = (name: string, isTrue: (text: string) => boolean) =>
    db.function(name, (text) => Number(isTrue(String(text))));
  test('holds_value', (text) => search.holds(text, similar));
  test('asks_for_forgotten', (candidates) =>
    (JSON.parse(candidates) as RowCandidate[]).some(([kind, value]) =>
      suppression.has({ kind, value }),
    ));
  test('is_forgotten_call', (request) => {
    const call = parseCall(request);
    return call.operation === 'company'
      ? suppression.has(call.identifier)
      : companies.has(call.body.companyId ?? '');
  });
  fillTempTable(db, 'gone_call', `select id from call where is_forgotten_call(request)`);
  const answers = fillTempTable(
    db,
    'gone_answer',
    `select id from answer where call_id in temp.gone_call
      or company_id in (select value from json_each(:companies))`,
    { companies: JSON.stringify([...companies]) },
  );
  const goneRows = fillTempTable(
    db,
    'gone_row',
    `select id from row where asks_for_forgotten(candidates)
      or id in (select row_id from outcome where answer_id in temp.gone_answer)`,
  );
  const holdingRows = fillTempTable(
    db,
    'holding_row',
    `select id from row where id not in temp.gone_row
      and holds_value(key || char(10) || cells || char(10) || candidates)`,
  );
  const bodies = bodiesIn(statementsOn(db));
  const holding = new Set(scanned.withPeople);
  const kept = db.prepare<[], BodyLocation & { readonly id: number }>(`
    select a.id, ${bodyColumns} from answer a
    where a.bundle_id is not null and a.id not in temp.gone_answer`);
  for (const { id, ...location } of kept.iterate()) {
    if (search.holds(String(bodies.read(location)), similar)) holding.add(id);
  }
  fillWithIds(db, 'holding_answer', [...holding]);
  const jobs = db.prepare<object, string>(`
    select u.job from outcome o join run u on u.id = o.run_id
    where o.row_id in temp.gone_row or o.row_id in temp.holding_row
      or o.answer_id in temp.holding_answer
    union select job from run where has_people and :people > 0 or holds_value(columns)`);
  const lists = db.prepare<[], string>(`select input_path from run union select list from run`);
  const requests = db.prepare<[], string>(`
    select request from call where id in temp.gone_call
      or id in (select call_id from answer where id in temp.gone_answer)`);
  const rowKeys = db.prepare<[], string>(`select key from row where id in temp.gone_row`);
  const pages = db.prepare<[], BodyLocation>(`
    select ${bodyColumns} from answer a where a.company_id is null and a.id in temp.gone_answer`);
  const everyone = new Set(people);
  for (const page of pages.iterate()) {
    for (const person of peopleIn(readBody(bodies.read(page)))) everyone.add(idOf(person));
  }
  return {
    ...scanned,
    given,
    keys,
    suppression,
    search,
    holding: holding.size,
    rowKeys: rowKeys.pluck().all(),
    requests: requests.pluck().all(),
    jobs: jobs.pluck().all({ people: people.size }),
    similar: [...similar],
    lists: lists.pluck().all().filter(search.mayHold),
    counts: {
      companies: companies.size,
      people: everyone.size,
      answers,
      rows: goneRows + holdingRows,
    },
  };
}

/** Keys of ids that the ledger has, or that were forgotten in it. */
export function knownIds(path: string, keys: readonly string[]): string[] {
  using file = openExisting(path);
  const { companies, people } = scanAnswers(file.db, new Map(keys.map((key) => [key, []])));
  const { hasKey } = forgottenIn(statementsOn(file.db)).suppression();
  return keys.filter((key) => {
    const [kind = '', id = ''] = key.split(/ (.*)/s);
    return hasKey(key) || (kind === 'person' ? people : companies).has(id);
  });
}

/** `wanted` maps each key to the identifiers that the user gave for it. */
function scanAnswers(db: Database, wanted: ReadonlyMap<string, readonly string[]>) {
  const statements = statementsOn(db);
  const suppression = suppressionBy((key) => wanted.has(key));
  const companies = new Set<string>();
  const people = new Set<string>();
  const names: { readonly key: string; readonly by: string[] }[] = [];
  const addNames = (own: readonly string[], keys = own) => {
    const by = own.flatMap((key) => wanted.get(key) ?? []);
    names.push(...keys.map((key) => ({ key, by })));
  };
  const withPeople: number[] = [];
  let damaged = 0;

  const bodies = bodiesIn(statements);
  const answers = db.prepare<[], AnswerRow>(`
    select a.id, a.company_id as companyId, a.alias_keys as aliasKeys, c.key, c.request, ${bodyColumns}
    from answer a join call c on c.id = a.call_id where a.bundle_id is not null`);
  // Other companies may share the ABN to forget. They keep their answers.
  const isShared = statements.value<0 | 1>(`
    select exists (
      select 1 from alias l join answer a on a.id = l.answer_id
      where l.key = :callKey and a.company_id <> :companyId
    ) or exists (
      select 1 from call c join answer a on a.id = c.answer_id
      where c.key = :callKey and a.company_id <> :companyId)`);
  for (const { id, companyId, aliasKeys, key: ownKey, request, ...location } of answers.iterate()) {
    const body = bodies.read(location);
    if (!body) {
      damaged += 1;
      continue;
    }
    const json = readBody(body);
    const persons = companyId === null ? peopleIn(json).filter(suppression.hasPerson) : [];
    for (const person of persons) {
      people.add(idOf(person));
      addNames(personKeys(person));
    }
    if (persons.length > 0) withPeople.push(id);
    if (companyId === null) continue;
    const identity = readIdentity(companyId, readIdentifiers(json));
    const call = parseCall(request);
    if (!suppression.hasCompany(identity) || call.operation !== 'company') continue;
    companies.add(companyId);
    const unshared = [call, ...aliasCalls(identity, call)].filter((_, at) => {
      const callKey = at === 0 ? ownKey : aliasKeys?.subarray((at - 1) * keyBytes, at * keyBytes);
      return callKey && isShared({ callKey, companyId }) === 0;
    });
    const others = unshared.map(({ identifier }) => keyOf(identifier));
    addNames(companyKeys(identity), [...others, `id ${companyId}`]);
  }
  return { withPeople, companies, people, names, damaged };
}

interface AnswerRow extends BodyLocation {
  readonly id: number;
  readonly companyId: string | null;
  readonly aliasKeys: Buffer | null;
  readonly key: Buffer;
  readonly request: string;
}

/** A miss may have any text as its body. */
function readBody(body: Buffer | null | undefined): unknown {
  try {
    return body && readAnswerJson(body);
  } catch {
    return String(body);
  }
}

function idOf(person: unknown) {
  return String(Object(person).person_id);
}

/** Keeps hashes, so later runs recognize the identifiers. Call inside a transaction. */
function eraseInLedger(db: Database, found: ReturnType<typeof findInLedger>) {
  const { given, companies, people, names, search, jobs } = found;
  const { add } = forgottenIn(statementsOn(db));
  for (const key of given) add(key, key);
  for (const { key, by } of names) for (const one of by) add(one, key);

  defineOutcomeChecksum(db);
  clearRows(db, 'gone_row', () => true);
  clearRows(db, 'holding_row', search.holds);
  dropSearches(
    db,
    `select id from search where company_id in (select value from json_each(:companies))`,
    { companies: JSON.stringify([...companies]) },
  );
  for (const id of people) {
    db.prepare(`delete from found where person_id = ?`).run(id);
    db.prepare(
      `update search set changed_runs = json_remove(changed_runs, ?) where changed_runs is not null`,
    ).run(`$.${JSON.stringify(id)}`);
  }
  db.function('without_values', (names, columns) =>
    names === null
      ? null
      : JSON.stringify(
          (JSON.parse(String(names)) as string[]).map((name) =>
            search.holds(name)
              ? `forgotten_${JSON.parse(String(columns)).indexOf(name) + 1}`
              : name,
          ),
        ),
  );
  // Empties `tally`, because the samples in it may show forgotten companies and people.
  db.exec(`
    delete from waiting where row_id in temp.gone_row or call_id in temp.gone_call;
    delete from possibly_charged_call where call_id in temp.gone_call;
    update answer set message = null where message is not null and holds_value(message);
    update outcome as o set message = null, checksum = ${checksumOf('o', { message: 'null' })}
    where message is not null and holds_value(message);
    update run set columns = without_values(columns, columns),
      key_columns = without_values(key_columns, columns)
    where holds_value(columns);
    delete from tally`);
  eraseAnswers(
    db,
    suppressedEnd,
    'row_id in temp.gone_row',
    'b.id in (select bundle_id from answer where id in temp.holding_answer)',
    (body) => withoutValues(body, found),
  );
  // An unfinished run must not resume, because its counts are now wrong.
  db.prepare(
    `update run set state = 'superseded' where state = 'open' and job in (select value from json_each(?))`,
  ).run(JSON.stringify(jobs));
}

/** Also repacks every bundle with bytes that no answer uses. Call inside a transaction. */
function eraseAnswers(
  db: Database,
  end: ErasedEnd,
  outcomes = 'answer_id in temp.gone_answer',
  alsoPacked = 'false',
  edit: Parameters<typeof packBundles>[2] = (body) => body,
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
  dropAnswers(db);
  packBundles(db, `coalesce(l.bytes, 0) < b.plain_length or ${alsoPacked}`, edit);
  dropCalls(db);
}

const weekMs = 7 * 24 * 3_600_000;

/** Erases expired answers at most once a week. Call inside a transaction. */
export function expiryIn({ db, run, value }: Statements) {
  const erasedAt = value<number | null | undefined>(
    `select erased_at from retention where job = ?`,
  );
  const note = run(`update retention set erased_at = ? where job = ?`);
  return (job: string, { companiesMs, peopleMs }: Exclusions, now: number): void => {
    const isKept = Math.min(companiesMs, peopleMs) === Number.POSITIVE_INFINITY;
    const erasedMs = now - (erasedAt(job) ?? 0);
    // Less than zero if the clock was ahead at the last time.
    if (isKept || (erasedMs >= 0 && erasedMs < weekMs)) return;
    const since = { companies: now - companiesMs, people: now - peopleMs };
    if (fillTempTable(db, 'gone_answer', expiredAnswers, { job, now, ...since }) > 0) {
      eraseAnswers(db, expiredEnd);
    }
    note(now, job);
  };
}

/** Skips answers that other jobs use and may keep longer. */
const expiredAnswers = `
  select a.id from answer a join call c on c.id = a.call_id
  where a.outcome = 'hit'
    and ${countedAt} < iif(c.request like 'people?%', :people, :companies)
    and a.id not in (
      select o.answer_id from outcome o join run u on u.id = o.run_id
      where u.job <> :job and u.job not like 'lookup@%' and o.answer_id is not null
      union select t.answer_id from completed_call t join run u on u.id = t.run_id
      where u.job <> :job and u.job not like 'lookup@%')`;

type ErasedEnd = typeof suppressedEnd | typeof expiredEnd;

function withoutAnswer({ status, reason, message }: ErasedEnd) {
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

function clearRows(db: Database, table: string, isGone: (text: string) => boolean) {
  const rows = db.prepare<[], RowTexts & { readonly id: number }>(
    `select id, key, cells, country, candidates from row where id in temp.${table}`,
  );
  // With a random hash, the same cells in a later list become a new row.
  const update = db.prepare(`
    update row set hash = randomblob(16), key = :key, cells = :cells, candidates = :candidates,
      checksum = :checksum
    where id = :id`);
  for (const { id, key, cells, country, candidates } of rows.all()) {
    const cleared = {
      key: isGone(key) ? `forgotten-${id}` : key,
      cells: JSON.stringify(
        (JSON.parse(cells) as (string | null)[]).map((cell) =>
          cell !== null && isGone(cell) ? null : cell,
        ),
      ),
      country,
      candidates: isGone(candidates) ? '[]' : candidates,
    };
    update.run({ ...cleared, id, checksum: rowChecksum(cleared) });
  }
}

function withoutValues(
  body: Buffer,
  { search, suppression }: Pick<ReturnType<typeof findInLedger>, 'search' | 'suppression'>,
) {
  const json = readBody(body);
  if (typeof json === 'string') return Buffer.from(search.without(String(body)));
  const text = clearPeople(json, suppression.hasPerson) ? jsonText(json) : body.toString();
  const cleared = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.]*/g, (token) => {
    if (!token.startsWith('"')) return search.holds(token) ? 'null' : token;
    const plain = JSON.parse(token) as string;
    return search.holds(plain) ? JSON.stringify(search.without(plain)) : token;
  });
  return Buffer.from(cleared);
}
