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
import { readValues } from '../core/rules/company-identity.ts';
import { makeFolder } from '../core/runtime/files/disk.ts';
import { migrate } from '../core/runtime/migrate.ts';

export type Store = ReturnType<typeof openStore>;

const applicationId = 0x44_53_76_63;

export function openStore(path: string) {
  const db = openDatabase(path);
  const statements = prepareStatements(db);
  return {
    findCompany(keys: readonly Key[], country: Country): Buffer | undefined {
      for (const { column, value } of keys) {
        const body = statements.findCompany[column].get(country, value);
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

export interface StoredCompany extends CompanyColumns {
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
  const columns = [...keyColumns, 'country', 'body'];
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
      insert into company (id, ${columns.join(', ')})
      values (:id, ${columns.map((column) => `:${column}`).join(', ')})
      on conflict (id) do update set
        ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`),

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

const keyColumns = ['abn', 'fqdn', 'website', 'network'] as const;
type KeyColumn = 'id' | (typeof keyColumns)[number];

export interface Key {
  readonly column: KeyColumn;
  readonly value: string;
}

interface CompanyColumns extends Record<Exclude<KeyColumn, 'id'>, string | null> {
  readonly id: string;
  readonly country: string | null;
}

export function storedColumns(company: Company): CompanyColumns {
  const { industry_codes: codes, social_media: social } = company;
  const country = parseCountry(company.hq_country ?? '');
  return {
    id: company.id,
    abn: abnKey(codes?.abn ?? '') ?? abnKey(codes?.acn ?? ''),
    fqdn: domainKeys(company.fqdn ?? '')[0] ?? null,
    website: domainKeys(company.website ?? '')[0] ?? null,
    network: pageKey(company.network ?? social?.network ?? ''),
    country: typeof country === 'string' ? country : null,
  };
}

export function lookupKeys(kind: IdentifierKind, text: string): Key[] {
  switch (kind) {
    case 'id':
      return [...new Set([text.trim(), cleanCell(text)])].map((value) => ({ column: 'id', value }));
    case 'abn':
      return keysIn(['abn'], abnKey(text));
    case 'fqdn':
      return domainKeys(text).flatMap((host) => keysIn(['fqdn', 'website'], host));
    case 'website':
      return domainKeys(text).flatMap((host) => keysIn(['website', 'fqdn'], host));
    case 'ln_slug':
    case 'ln_url':
      return keysIn(['network'], pageKey(text));
  }
}

function keysIn(columns: readonly KeyColumn[], value: string | null): Key[] {
  return value === null ? [] : columns.map((column) => ({ column, value }));
}

/** The store may contain invalid ABNs, which are found by their digits. */
function abnKey(text: string) {
  return readValues(text, 'abn')[0] ?? (digitsOf(text) || null);
}

function pageKey(text: string) {
  return readValues(text, 'ln_slug')[0] ?? null;
}

/** Ignores the domain of a platform page, which would find the platform's owner. */
function domainKeys(text: string) {
  const domain = identifyCell(text, 'fqdn');
  if (!isReject(domain)) {
    return [...(domain.alternates ?? []).map(({ value }) => value), domain.value];
  }
  const hasNoOwnHost = domain.reject === 'platform_page' || domain.reject === 'multiple_values';
  const host = hasNoOwnHost ? null : hostOf(text);
  return host === null ? [] : [host];
}
