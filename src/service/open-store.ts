import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Company } from '../core/contract/company.ts';
import type { Country } from '../core/contract/countries.ts';
import type { IdentifierKind } from '../core/contract/identifier-kinds.ts';
import { DossierError } from '../core/errors.ts';
import { cleanCell } from '../core/identify/clean-cell.ts';
import { isReject } from '../core/identify/identifier.ts';
import { identifyCell } from '../core/identify/identify-cell.ts';
import { digitsOf } from '../core/identify/parse-abn.ts';
import { parseCountry } from '../core/identify/parse-country.ts';
import { hostOf } from '../core/identify/parse-domain.ts';
import { readValues } from '../core/rules/match-company.ts';
import { makeFolder } from '../platform/files/disk.ts';
import { migrate } from '../platform/migrate.ts';

export type Store = ReturnType<typeof openStore>;

const applicationId = 0x44_53_76_63;

export function openStore(path: string) {
  const db = openDatabase(path);
  const statements = prepareStatements(db);
  return {
    findCompany(keys: readonly Key[], country: Country): Buffer | undefined {
      for (const { column, value } of keys) {
        const body = statements.findCompany.get(column)?.get(country, value);
        if (body) return body;
      }
      return undefined;
    },

    searchPeople({ position, ...filters }: StoreSearch): string[] {
      if (position === undefined) return statements.listPeople.all(filters);
      const query = positionQuery(filters.companyId, position);
      return query === null ? [] : statements.findPeople.all({ ...filters, query });
    },

    putCompany: (company: StoredCompany) => void statements.putCompany.run(company),
    putPerson: (person: StoredPerson) => void statements.putPerson.run(person),
    inTransaction: (work: () => void) =>
      withStoreErrors(path, () => db.transaction(work).immediate()),
    counts: () => statements.counts.get() ?? { companies: 0, people: 0 },
    [Symbol.dispose]: () => void db.close(),
  };
}

function openDatabase(path: string): Database.Database {
  return withStoreErrors(path, () => {
    if (path !== ':memory:') makeFolder(dirname(path));
    const db = new Database(path, { timeout: 30_000 });
    // Checked first: the settings below would persist in another program's database.
    const isNew = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
    if (!isNew && db.pragma('application_id', { simple: true }) !== applicationId) {
      db.close();
      throw new DossierError(
        'FILE_FOREIGN',
        `${path} is not a database of the Company Data Service`,
      );
    }
    db.pragma('journal_mode = wal');
    // Less durable, because a store can be reloaded from its files.
    db.pragma('synchronous = normal');
    // 64 MiB: loading is slow if the index pages do not fit.
    db.pragma('cache_size = -65536');
    if (isNew) db.pragma(`application_id = ${applicationId}`);
    if (!migrate(db, join(import.meta.dirname, 'migrations'))) {
      throw new DossierError(
        'NEWER_VERSION',
        `${path} has a schema that this version does not know`,
      );
    }
    return db;
  });
}

function withStoreErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof DossierError || code === undefined) throw error;
    throw new DossierError('FILE_UNWRITABLE', `cannot use the store ${path}: ${message}`, {
      cause: error,
    });
  }
}

interface StoreSearch {
  companyId: string;
  country: Country;
  position?: string | undefined;
  seniority: number | null;
  department: number | null;
  from: number;
  size: number;
}

export interface StoredCompany extends ReturnType<typeof storedColumns> {
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

function prepareStatements(db: Database.Database) {
  // A company in the given country wins, then the lowest id. A blob, because making a string is slow.
  const findBy = (column: string) =>
    db
      .prepare<[country: string, value: string], Buffer | null>(`
      select cast(body as blob), min((country is not ?) || id) from company where ${column} = ?`)
      .pluck();
  const columns = [...keyColumns.keys()];
  const written = [...columns, 'country', 'body'];
  const changed = written.filter((column) => column !== 'id');
  const people = `
    (country is null or country = :country)
    and (:seniority is null or seniority = :seniority)
    and (:department is null or department = :department)`;

  return {
    findCompany: new Map(columns.map((column) => [column, findBy(column)])),

    listPeople: db
      .prepare<Filters, string>(`
      select body from person where company_id = :companyId and ${people}
      order by seniority, person_id limit :size offset :from`)
      .pluck(),

    findPeople: db
      .prepare<Filters & { query: string }, string>(`
      select body from person
      where rowid in (select rowid from person_position where person_position match :query)
        and company_id = :companyId and ${people}
      order by seniority, person_id limit :size offset :from`)
      .pluck(),

    putCompany: db.prepare<StoredCompany>(`
      insert into company (${written.join(', ')})
      values (${written.map((column) => `:${column}`).join(', ')})
      on conflict (id) do update set
        ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}`),

    putPerson: db.prepare<StoredPerson>(`
      insert into person (person_id, company_id, country, seniority, department, position, body)
      values (:personId, :companyId, :country, :seniority, :department, :position, :body)
      on conflict (person_id) do update set
        company_id = excluded.company_id, country = excluded.country,
        seniority = excluded.seniority, department = excluded.department,
        position = excluded.position, body = excluded.body`),

    counts: db.prepare<[], { companies: number; people: number }>(`
      select (select count(*) from company) as companies, (select count(*) from person) as people`),
  };
}

type Filters = Omit<StoreSearch, 'position'>;

/** Quotes keep words such as OR from becoming FTS5 syntax. */
function positionQuery(companyId: string, position: string) {
  const words = position.normalize('NFC').match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu);
  if (!words) return null;
  const company = `x${Buffer.from(companyId).toString('hex')}`;
  const quoted = [...new Set(words)].map((word) => `"${word}"`).join(' ');
  return `company : "${company}" AND position : (${quoted})`;
}

interface KindKeys {
  /** Stores `ofCompany`; a migration adds it. */
  readonly column: string;
  /** Searched after `column`. */
  readonly otherColumn?: string;
  readonly ofCompany: (company: Company) => string | null | undefined;
  /** Best first. */
  readonly ofLookup: (text: string) => readonly string[];
}

const pageKeys: KindKeys = {
  column: 'network',
  ofCompany: ({ network, social_media: social }) => pagesIn(network ?? social?.network)[0],
  ofLookup: pagesIn,
};

/** Where the store looks for each kind of identifier. */
const kindKeys: Readonly<Record<IdentifierKind, KindKeys>> = {
  id: {
    column: 'id',
    ofCompany: ({ id }) => id,
    ofLookup: (text) => [...new Set([text.trim(), cleanCell(text)])],
  },
  abn: {
    column: 'abn',
    ofCompany: ({ industry_codes: codes }) => [...abnsIn(codes?.abn), ...abnsIn(codes?.acn)][0],
    ofLookup: abnsIn,
  },
  fqdn: {
    column: 'fqdn',
    otherColumn: 'website',
    ofCompany: ({ fqdn }) => hostsIn(fqdn)[0],
    ofLookup: hostsIn,
  },
  website: {
    column: 'website',
    otherColumn: 'fqdn',
    ofCompany: ({ website }) => hostsIn(website)[0],
    ofLookup: hostsIn,
  },
  ln_slug: pageKeys,
  ln_url: pageKeys,
};

/** One entry for each column. */
const keyColumns = new Map(Object.values(kindKeys).map((keys) => [keys.column, keys.ofCompany]));

interface Key {
  readonly column: string;
  readonly value: string;
}

export function storedColumns(company: Company) {
  const keys = [...keyColumns].map(([column, read]) => [column, read(company) ?? null]);
  const country = parseCountry(company.hq_country ?? '');
  return {
    ...(Object.fromEntries(keys) as Record<string, string | null>),
    country: typeof country === 'string' ? country : null,
  };
}

export function lookupKeys(kind: IdentifierKind, text: string): Key[] {
  const { column, otherColumn, ofLookup } = kindKeys[kind];
  const columns = otherColumn === undefined ? [column] : [column, otherColumn];
  return ofLookup(text).flatMap((value) => columns.map((name) => ({ column: name, value })));
}

/** The store may contain invalid ABNs, which are found by their digits. */
function abnsIn(text: string | null | undefined) {
  const [abn = digitsOf(text ?? '')] = readValues(text ?? '', 'abn');
  return abn === '' ? [] : [abn];
}

function pagesIn(text: string | null | undefined) {
  return readValues(text ?? '', 'ln_slug').slice(0, 1);
}

/** Ignores the domain of a platform page, which would find the platform's owner. */
function hostsIn(text: string | null | undefined) {
  const written = text ?? '';
  const domain = identifyCell(written, 'fqdn');
  if (!isReject(domain)) {
    return [...(domain.alternates ?? []).map(({ value }) => value), domain.value];
  }
  const hasNoOwnHost = domain.reject === 'platform_page' || domain.reject === 'multiple_values';
  const host = hasNoOwnHost ? null : hostOf(written);
  return host === null ? [] : [host];
}
