import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Country } from '../contract/countries.ts';
import { DossierError } from '../errors.ts';
import { makeFolder } from '../runtime/make-folder.ts';
import { migrate } from '../runtime/migrate.ts';
import type { CompanyKeys, Key } from './company-keys.ts';
import { positionQuery } from './position-query.ts';
import { shareReads } from './share-reads.ts';

/** Companies and people as they were loaded, found by what people ask for. */
export interface Store extends Disposable {
  /** The bytes of the company's JSON, unchanged. The first key that finds one decides. */
  findCompany(keys: readonly Key[], country: Country): Buffer | undefined;
  /** The JSON text of each person of one page. */
  searchPeople(search: StoreSearch): string[];
  putCompany(company: StoredCompany): void;
  putPerson(person: StoredPerson): void;
  /** Runs the work in one transaction; all of it is kept or none. */
  together(work: () => void): void;
  counts(): { companies: number; people: number };
  /** Grows whenever anybody has written, this process or another. It may be a turn late. */
  version(): number;
}

export interface StoreSearch {
  companyId: string;
  country: Country;
  position?: string | undefined;
  seniority?: number | undefined;
  department?: number | undefined;
  from: number;
  size: number;
}

export interface StoredCompany extends CompanyKeys {
  body: string;
}

export interface StoredPerson {
  personId: string;
  companyId: string;
  country: Country | null;
  seniority: number;
  department: number;
  position: string | null;
  body: string;
}

/** Marks the file as a store, so that a ledger or somebody else's database is not taken for one. */
const applicationId = 0x44_53_76_63;

export function openStore(path: string): Store {
  const db = openDatabase(path);
  const statements = prepareStatements(db);
  const reads = shareReads(db);
  let ownWrites = 0;
  const dataVersion = oncePerTurn(() => statements.dataVersion.get() ?? 0);
  return {
    findCompany(keys, country) {
      reads.begin();
      for (const { column, value } of keys) {
        const body = statements.findCompany[column].get(country, value);
        if (body) return body;
      }
      return undefined;
    },

    searchPeople({ position, ...search }) {
      reads.begin();
      const filters = {
        ...search,
        seniority: search.seniority ?? null,
        department: search.department ?? null,
      };
      if (position === undefined) return statements.listPeople.all(filters).map(({ body }) => body);
      const query = positionQuery(search.companyId, position);
      if (query === null) return [];
      return statements.findPeople.all({ ...filters, query }).map(({ body }) => body);
    },

    putCompany(company) {
      reads.end();
      ownWrites += 1;
      statements.putCompany.run(company);
    },
    putPerson(person) {
      reads.end();
      ownWrites += 1;
      statements.putPerson.run(person);
    },
    together(work) {
      reads.end();
      withTrouble(path, () => db.transaction(work).immediate());
    },
    counts: () => statements.counts.get() ?? { companies: 0, people: 0 },
    version: () => dataVersion() + ownWrites,
    [Symbol.dispose]() {
      reads.end();
      db.close();
    },
  };
}

/** Asks once in a turn of the event loop, however often it is asked. */
function oncePerTurn<Value>(ask: () => Value): () => Value {
  let known: { value: Value } | undefined;
  return () => {
    if (!known) {
      known = { value: ask() };
      setImmediate(() => {
        known = undefined;
      });
    }
    return known.value;
  };
}

function openDatabase(path: string): Database.Database {
  return withTrouble(path, () => {
    if (path !== ':memory:') makeFolder(dirname(path));
    const db = new Database(path, { timeout: 30_000 });
    // First of all: the settings below would stay in somebody else's database.
    const isNew = isEmpty(db);
    if (!isNew && db.pragma('application_id', { simple: true }) !== applicationId) {
      db.close();
      throw new DossierError('STORE_FOREIGN', `${path} is not a store of the Company Data Service`);
    }
    db.pragma('journal_mode = wal');
    // A store can be loaded again from its files, so it need not be as durable as a ledger.
    db.pragma('synchronous = normal');
    // In KiB. Loading a large store spends its time on index pages that did not fit.
    db.pragma('cache_size = -65536');
    if (isNew) db.pragma(`application_id = ${applicationId}`);
    if (!migrate(db, join(import.meta.dirname, 'migrations'))) {
      throw new DossierError('STORE_NEWER', `${path} has a schema that this version does not know`);
    }
    return db;
  });
}

/** A full disk or a store that another process holds is the user's to mend and no bug. */
function withTrouble<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isTrouble = error instanceof Database.SqliteError || code !== undefined;
    if (error instanceof DossierError || !isTrouble) throw error;
    throw new DossierError('STORE_TROUBLE', `cannot use the store ${path}: ${message}`, {
      cause: error,
    });
  }
}

function isEmpty(db: Database.Database): boolean {
  return db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
}

function prepareStatements(db: Database.Database) {
  // Several companies may share a domain: the one at home in the asked country comes first, then the
  // lowest id. The other columns of min() are those of its row, which spares a sort; and the body
  // leaves as bytes, because making it a string took longer than all the rest of the query.
  const findBy = (column: string) =>
    db
      .prepare<[country: string, value: string], Buffer | null>(`
      select cast(body as blob), min((country is not ?) || id) from company where ${column} = ?`)
      .pluck();
  const people = `
    (country is null or country = :country)
    and (:seniority is null or seniority = :seniority)
    and (:department is null or department = :department)`;

  return {
    findCompany: {
      id: findBy('id'),
      abn: findBy('abn'),
      fqdn: findBy('fqdn'),
      website: findBy('website'),
      network: findBy('network'),
    },

    listPeople: db.prepare<Filters, { body: string }>(`
      select body from person where company_id = :companyId and ${people}
      order by seniority, person_id limit :size offset :from`),

    findPeople: db.prepare<Filters & { query: string }, { body: string }>(`
      select body from person
      where rowid in (select rowid from person_position where person_position match :query)
        and company_id = :companyId and ${people}
      order by seniority, person_id limit :size offset :from`),

    // Loading the same id again replaces it.
    putCompany: db.prepare<StoredCompany>(`
      insert into company (id, abn, fqdn, website, network, country, body)
      values (:id, :abn, :fqdn, :website, :network, :country, :body)
      on conflict (id) do update set
        abn = excluded.abn, fqdn = excluded.fqdn, website = excluded.website,
        network = excluded.network, country = excluded.country, body = excluded.body`),

    putPerson: db.prepare<StoredPerson>(`
      insert into person (person_id, company_id, country, seniority, department, position, body)
      values (:personId, :companyId, :country, :seniority, :department, :position, :body)
      on conflict (person_id) do update set
        company_id = excluded.company_id, country = excluded.country,
        seniority = excluded.seniority, department = excluded.department,
        position = excluded.position, body = excluded.body`),

    // Changes when another connection has committed.
    dataVersion: db.prepare<[], number>('pragma data_version').pluck(),

    counts: db.prepare<[], { companies: number; people: number }>(`
      select (select count(*) from company) as companies, (select count(*) from person) as people`),
  };
}

type Filters = Omit<StoreSearch, 'position' | 'seniority' | 'department'> & {
  seniority: number | null;
  department: number | null;
};
