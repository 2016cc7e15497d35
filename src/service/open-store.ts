import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Country } from '../contract/countries.ts';
import { DossierError } from '../errors.ts';
import { makeFolder } from '../runtime/files/make-folder.ts';
import { migrate } from '../runtime/migrate.ts';
import type { Key } from './store/company-keys.ts';
import { shareReads } from './store/share-reads.ts';
import {
  positionQuery,
  prepareStatements,
  type StoredCompany,
  type StoredPerson,
  type StoreSearch,
} from './store/statements.ts';

/** The companies and people that the service serves, with their JSON as it was loaded. */
export interface Store extends Disposable {
  /** The JSON of the company, as bytes. The first key that finds a company decides. */
  findCompany(keys: readonly Key[], country: Country): Buffer | undefined;
  /** The JSON of each person on one page. */
  searchPeople(search: StoreSearch): string[];
  putCompany(company: StoredCompany): void;
  putPerson(person: StoredPerson): void;
  /** Runs the work in one transaction. */
  together(work: () => void): void;
  counts(): { companies: number; people: number };
  /** Grows with every write of any process, at the latest in the next turn of the event loop. */
  version(): number;
}

/** Marks the file as a store: a ledger or the database of another program has another number. */
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
      explainTrouble(path, () => db.transaction(work).immediate());
    },
    counts: () => statements.counts.get() ?? { companies: 0, people: 0 },
    version: () => dataVersion() + ownWrites,
    [Symbol.dispose]() {
      reads.end();
      db.close();
    },
  };
}

/** Reads a value once in each turn of the event loop. */
function oncePerTurn<Value>(read: () => Value): () => Value {
  let known: { value: Value } | undefined;
  return () => {
    if (!known) {
      known = { value: read() };
      setImmediate(() => {
        known = undefined;
      });
    }
    return known.value;
  };
}

function openDatabase(path: string): Database.Database {
  return explainTrouble(path, () => {
    if (path !== ':memory:') makeFolder(dirname(path));
    const db = new Database(path, { timeout: 30_000 });
    // Checked before the settings below, which would stay in the database of another program.
    const isNew = isEmpty(db);
    if (!isNew && db.pragma('application_id', { simple: true }) !== applicationId) {
      db.close();
      throw new DossierError('STORE_FOREIGN', `${path} is not a store of the Company Data Service`);
    }
    db.pragma('journal_mode = wal');
    // A store can be loaded again from its files, so it needs less durability than a ledger.
    db.pragma('synchronous = normal');
    // 64 MiB: loading a large store is slow when its index pages do not fit into the cache.
    db.pragma('cache_size = -65536');
    if (isNew) db.pragma(`application_id = ${applicationId}`);
    if (!migrate(db, join(import.meta.dirname, 'migrations'))) {
      throw new DossierError('STORE_NEWER', `${path} has a schema that this version does not know`);
    }
    return db;
  });
}

/** A full disk or a locked store is an error that the user can fix, and no bug of Dossier. */
function explainTrouble<Result>(path: string, work: () => Result): Result {
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
