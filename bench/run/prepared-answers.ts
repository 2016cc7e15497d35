import { realisticCompanies } from '../service/realistic-companies.ts';
import { siteAbn, siteDomain, siteName } from './sample-sites.ts';

/** Different companies, so that no answer is like the one before. */
const kinds = 50;
const peopleInPage = 25;
export const pagesOfSearch = 3;

/** Whole HTTP answers. Only the few bytes that name the site are written for each request. */
export function prepareAnswers() {
  const companies = realisticCompanies()
    .slice(0, kinds)
    .map((line) => prepareCompany(JSON.parse(line) as Record<string, unknown>));
  return {
    company(site: number): Buffer {
      const prepared = companies[site % companies.length];
      if (!prepared) throw new Error('there is no company to answer with');
      const answer = Buffer.from(prepared.bytes);
      const texts = { name: siteName(site), domain: siteDomain(site), abn: siteAbn(site) };
      for (const { at, what } of prepared.places) answer.write(texts[what], at, 'latin1');
      return answer;
    },
    /** A page of a people search; behind the last page there is nobody. */
    people(site: number, from: number): Buffer {
      const isBehind = from >= pagesOfSearch * peopleInPage;
      const people = Array.from({ length: isBehind ? 0 : peopleInPage }, (_, index) =>
        samplePerson(site, from + index),
      );
      return withHead(JSON.stringify(people));
    },
  };
}

type What = 'name' | 'domain' | 'abn';

function prepareCompany(company: Record<string, unknown>) {
  const codes = company.industry_codes as Record<string, unknown> | null | undefined;
  // Stand-ins of the right length, each found once in the text.
  const marks: Record<string, What> = { [siteName(0)]: 'name', [siteDomain(1)]: 'domain' };
  const abnMark = siteAbn(0);
  marks[abnMark] = 'abn';
  const body = JSON.stringify({
    ...company,
    id: `c_${siteName(0)}`,
    website: `https://www.${siteDomain(1)}`,
    fqdn: siteDomain(1),
    network: siteName(0),
    industry_codes: { ...codes, abn: abnMark, acn: null },
  });
  const bytes = withHead(body);
  const places: { at: number; what: What }[] = [];
  for (const [mark, what] of Object.entries(marks)) {
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
      places.push({ at, what });
    }
  }
  return { bytes, places };
}

function samplePerson(site: number, index: number) {
  return {
    person_id: `p_${site}_${index}`,
    position: 'Head of Operations',
    company_name: siteName(site),
    network: `person-${site}-${index}-sample`,
    has_email: true,
    has_personal_email: false,
    has_phone: index % 2 === 0,
    has_dnd_phone: false,
    has_mobile: true,
  };
}

function withHead(body: string): Buffer {
  const length = Buffer.byteLength(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  return Buffer.from(head + body);
}
