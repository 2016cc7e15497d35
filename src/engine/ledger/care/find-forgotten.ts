import type { Database } from 'better-sqlite3';
import { parseCall } from '../../../core/contract/call.ts';
import { DossierError } from '../../../core/errors.ts';
import { aliasCalls } from '../../../core/rules/match-company.ts';
import type { RowCandidate } from '../../../core/rules/next-candidate.ts';
import {
  companyKeys,
  idKey,
  keyOf,
  personKeys,
  type Suppression,
  suppressionBy,
  withService,
} from '../../../core/rules/suppression.ts';
import { searchFor } from '../../../core/rules/value-search.ts';
import { readAnswerJson } from '../../../core/values/parse-json.ts';
import { identifiersIn, peopleIn } from '../../providers/read-body.ts';
import { type Bodies, bodiesIn, bodyColumns, type StoredBody } from '../calls/bodies.ts';
import { keyedCall } from '../calls/call-key.ts';
import { servicesIn } from '../calls/services.ts';
import { openExisting } from '../file/ledger-file.ts';
import { statementsOn } from '../statements.ts';
import { fillTempTable, fillWithIds } from './erase-answers.ts';
import { forgottenIn } from './forgotten.ts';

export type Found = ReturnType<typeof findInLedger>;

/**
 * Writes only temporary tables, which `forgetInLedger` reads. Keys in `maybe` count only if the
 * ledger has them: `john.doe.it` is a domain, but may be the id of a person.
 */
export function findInLedger(
  db: Database,
  asked: readonly string[],
  maybe: readonly string[] = [],
  before: readonly string[] = [],
) {
  const scanned = scanFor(db, new Map([...asked, ...maybe].map((key) => [key, [key]])));
  const { companies, people, names } = scanned;
  const matched = new Set(names.flatMap(({ by }) => by));
  refuseSharedIds(db, names);
  // `names` has each of these ids with its service. A bare id would match other services, too.
  const isFound = (key: string) => key.startsWith('id ') && matched.has(key);
  const given = [...asked, ...maybe.filter((key) => matched.has(key))].filter(
    (key) => !isFound(key),
  );
  // Rows, messages and answers of others may use another identifier of the company.
  const known = new Set([...before, ...given, ...names.map(({ key }) => key)]);
  const keys = [...known];
  const suppression = suppressionBy((key) => known.has(key));
  const search = searchFor(keys);
  const similar = new Set<string>();

  defineTests(db, { suppression, search, similar, companies });
  fillTempTable(db, 'gone_call', `select id from call where is_forgotten_call(text, service_id)`);
  const answers = fillTempTable(
    db,
    'gone_answer',
    `select a.id from answer a join call c on c.id = a.call_id where call_id in temp.gone_call
      or company_id is not null and is_forgotten_company(company_id, service_id)`,
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
      and holds_value(key || char(10) || cells || char(10) || candidates || char(10) || coalesce(register, ''))`,
  );
  const bodies = bodiesIn(statementsOn(db));
  const holding = new Set([...scanned.withPeople, ...findHolding(db, bodies, search, similar)]);
  fillWithIds(db, 'holding_answer', [...holding]);
  const jobs = db.prepare<object, string>(`
    select u.job from outcome o join run u on u.id = o.run_id
    where o.row_id in temp.gone_row or o.row_id in temp.holding_row
      or o.answer_id in temp.holding_answer
    union select job from run where has_people and :people > 0 or holds_value(columns)`);
  const lists = db.prepare<[], string>(`select input_path from run union select list from run`);
  const callTexts = db.prepare<[], string>(`
    select text from call where id in temp.gone_call
      or id in (select call_id from answer where id in temp.gone_answer)`);
  const rowKeys = db.prepare<[], string>(`select key from row where id in temp.gone_row`);
  return {
    ...scanned,
    given,
    keys,
    suppression,
    search,
    holding: holding.size,
    rowKeys: rowKeys.pluck().all(),
    callTexts: callTexts.pluck().all(),
    jobs: jobs.pluck().all({ people: people.size }),
    similar: [...similar],
    lists: lists.pluck().all().filter(search.mayHold),
    counts: {
      companies: companies.size,
      people: new Set([...people, ...peopleInGone(db, bodies)]).size,
      answers,
      rows: goneRows + holdingRows,
    },
  };
}

/** Scans again while a person turns out to be stored under other ids, too. */
function scanFor(db: Database, wanted: Map<string, readonly string[]>) {
  for (;;) {
    const { size } = wanted;
    const scanned = scanAnswers(db, wanted);
    for (const { key, by } of scanned.names) {
      if (/^(?:person|profile) /.test(key)) wanted.set(key, wanted.get(key) ?? by);
    }
    if (wanted.size === size) return scanned;
  }
}

interface Tests {
  readonly suppression: Pick<Suppression, 'has'>;
  readonly search: { holds(text: string, similar: Set<string>): boolean };
  readonly similar: Set<string>;
  readonly companies: ReadonlySet<string>;
}

function defineTests(db: Database, { suppression, search, similar, companies }: Tests) {
  const test = (name: string, isTrue: (text: string) => boolean) =>
    db.function(name, (text) => Number(isTrue(String(text))));
  test('holds_value', (text) => search.holds(text, similar));
  test('asks_for_forgotten', (candidates) =>
    (JSON.parse(candidates) as RowCandidate[]).some(([kind, value]) =>
      suppression.has({ kind, value }),
    ));
  const services = servicesIn(statementsOn(db));
  // Reads all services now, because a function of SQL cannot.
  services.get(0);
  const serviceOf = (id: unknown) => services.identityOf(id as number | null);
  const bareIds = new Set([...companies].map((key) => key.slice(key.indexOf(' ') + 1)));
  const isGone = (id: string, service: string | undefined) =>
    service === undefined ? bareIds.has(id) : companies.has(idKey(id, service));
  db.function('is_forgotten_call', (text, serviceId) => {
    const call = parseCall(String(text));
    const service = serviceOf(serviceId);
    return Number(
      call.operation === 'company'
        ? suppression.has(call.identifier, service)
        : isGone(call.companyId, service),
    );
  });
  db.function('is_forgotten_company', (id, serviceId) =>
    Number(isGone(String(id), serviceOf(serviceId))),
  );
}

/** Other answers that hold a value. */
function* findHolding(db: Database, bodies: Bodies, search: Tests['search'], similar: Set<string>) {
  const kept = db.prepare<[], StoredBody & { readonly id: number }>(`
    select a.id, ${bodyColumns} from answer a
    where a.bundle_id is not null and a.id not in temp.gone_answer`);
  for (const { id, ...location } of kept.iterate()) {
    if (search.holds(String(bodies.read(location)), similar)) yield id;
  }
}

function* peopleInGone(db: Database, bodies: Bodies) {
  const services = servicesIn(statementsOn(db));
  const pages = db.prepare<[], StoredBody>(`
    select ${bodyColumns} from answer a where a.company_id is null and a.id in temp.gone_answer`);
  for (const page of pages.iterate()) {
    const json = readBody(bodies.read(page));
    yield* peopleIn(services.provider(page.serviceId), json).map(idOf);
  }
}

/** Keys of ids that the ledger has, or that were forgotten in it. */
export function knownIds(path: string, keys: readonly string[]): string[] {
  using file = openExisting(path);
  const services = servicesIn(statementsOn(file.db)).byName();
  const atService = (key: string) => withService(key, services);
  const wanted = new Map(keys.map((key) => [atService(key), []]));
  const { companies, people } = scanAnswers(file.db, wanted);
  const hasKey = wasForgotten(file.db);
  const held = [...companies];
  return keys.filter((given) => {
    const key = atService(given);
    const [kind = '', id = ''] = key.split(/ (.*)/s);
    if (hasKey(key)) return true;
    if (kind === 'person') return people.has(id);
    return companies.has(key) || (kind === 'id' && held.some((one) => one.endsWith(` ${id}`)));
  });
}

/** An id without a service was forgotten if it was at one. */
export function wasForgotten(db: Database): (key: string) => boolean {
  const { hasKey } = forgottenIn(statementsOn(db)).suppression();
  const identities = servicesIn(statementsOn(db)).identities();
  return (key) =>
    hasKey(key) ||
    (key.startsWith('id ') && identities.some((one) => hasKey(idKey(key.slice(3), one))));
}

/** A key to forget, and the keys of the user that led to it. */
interface FoundName {
  readonly key: string;
  readonly by: readonly string[];
}

function refuseSharedIds(db: Database, names: readonly FoundName[]) {
  const found = names.flatMap(({ key, by }) =>
    key.startsWith('id@') ? by.flatMap((one) => (one.startsWith('id ') ? [{ one, key }] : [])) : [],
  );
  for (const [one, some] of Map.groupBy(found, (each) => each.one)) {
    if (new Set(some.map(({ key }) => key)).size < 2) continue;
    const id = one.slice(3);
    const known = [...servicesIn(statementsOn(db)).byName().keys()].map((name) => `${name}:${id}`);
    throw new DossierError(
      'USAGE',
      `several services have a company with the id ${id}; name one of them, such as ${known.join(' or ')}, or use a domain or ABN`,
    );
  }
}

/** `wanted` maps each key to the identifiers that the user gave for it. */
function scanAnswers(db: Database, wanted: ReadonlyMap<string, readonly string[]>) {
  const statements = statementsOn(db);
  const suppression = suppressionBy((key) => wanted.has(key));
  const companies = new Set<string>();
  const people = new Set<string>();
  const names: FoundName[] = [];
  const addNames = (own: readonly string[], keys = own) => {
    const by = own.flatMap((key) => wanted.get(key) ?? []);
    names.push(...keys.map((key) => ({ key, by })));
  };
  const withPeople: number[] = [];
  let damaged = 0;

  const bodies = bodiesIn(statements);
  const services = servicesIn(statements);
  const answers = db.prepare<
    [],
    StoredBody & { id: number; companyId: string | null; key: Buffer; text: string }
  >(`
    select a.id, a.company_id as companyId, c.key, c.text, ${bodyColumns}
    from answer a join call c on c.id = a.call_id where a.bundle_id is not null`);
  // Other companies may share the ABN to forget. They keep their answers.
  const isShared = statements.value<0 | 1>(`
    select exists (
      select 1 from alias l join answer a on a.id = l.answer_id
      where l.key = :callKey and a.company_id <> :companyId
    ) or exists (
      select 1 from call c join answer a on a.id = c.answer_id
      where c.key = :callKey and a.company_id <> :companyId)`);
  for (const { id, companyId, key, text, ...location } of answers.iterate()) {
    const body = bodies.read(location);
    if (!body) {
      damaged += 1;
      continue;
    }
    const provider = services.provider(location.serviceId);
    const json = readBody(body);
    if (companyId === null) {
      const persons = peopleIn(provider, json).filter(suppression.hasPerson);
      for (const person of persons) {
        people.add(idOf(person));
        addNames(personKeys(person));
      }
      if (persons.length > 0) withPeople.push(id);
      continue;
    }
    const company = identifiersIn(provider, companyId, json);
    const call = parseCall(text);
    const service = services.identityOf(location.serviceId);
    if (!suppression.hasCompany(company, service) || call.operation !== 'company') continue;
    companies.add(idKey(companyId, service));
    const unshared = [call, ...aliasCalls(company, call)].filter((one) => {
      const keyOfOne = one === call ? key : service && keyedCall(service, one).key;
      return !keyOfOne || isShared({ callKey: keyOfOne, companyId }) === 0;
    });
    const others = unshared.flatMap(({ identifier }) =>
      identifier.kind === 'id' ? [] : keyOf(identifier),
    );
    addNames(companyKeys(company, service), [...others, idKey(companyId, service)]);
  }
  return { withPeople, companies, people, names, damaged };
}

/** A miss may have any text as its body. */
export function readBody(body: Buffer | null | undefined): unknown {
  try {
    return body && readAnswerJson(body);
  } catch {
    return String(body);
  }
}

function idOf(person: unknown) {
  return String(Object(person).person_id);
}
