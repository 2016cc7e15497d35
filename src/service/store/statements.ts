import type Database from 'better-sqlite3';
import type { Country } from '../../contract/countries.ts';
import type { CompanyKeys } from './company-keys.ts';

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

export function prepareStatements(db: Database.Database) {
  // Several companies may share a domain: one of the given country comes first, then the lowest id.
  // SQLite takes the other columns from the row of min(), which is faster than sorting. The body is
  // read as bytes: making it a string takes longer than the rest of the query.
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

    // A company or person that is loaded again is replaced.
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

/**
 * The FTS5 query for the people of a company whose position has all words of a title, in any order.
 * Each word is quoted, so that no word of a request is query syntax. Null when there is no word.
 *
 * `Head of "Sales" OR *` → `company : "x635f31" AND position : ("head" "of" "sales" "or")`
 */
export function positionQuery(companyId: string, position: string): string | null {
  const words = position.normalize('NFC').match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu);
  if (!words) return null;
  const company = `x${Buffer.from(companyId).toString('hex')}`;
  const quoted = [...new Set(words)].map((word) => `"${word}"`).join(' ');
  return `company : "${company}" AND position : (${quoted})`;
}
