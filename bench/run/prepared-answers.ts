import { realisticCompanies } from '../service/sample-lookups.ts';
import { siteAbn, siteDomain, siteName } from './sample-sites.ts';

/** Number of different companies, so that consecutive answers differ. */
const kinds = 50;

interface Prepared {
  readonly bytes: Buffer;
  readonly offsets: readonly { at: number; what: What }[];
}

/** Prepares whole HTTP answers. Each request only fills in the bytes that name the site. */
export function prepareAnswers() {
  const companies = realisticCompanies()
    .slice(0, kinds)
    .map((line) => prepare(companyText(JSON.parse(line) as Record<string, unknown>)));
  return (site: number) => fillIn(companies[site % companies.length], site);
}

type What = 'name' | 'domain' | 'abn';

/** Placeholders of the right length that occur nowhere else in an answer. */
const marks: Record<What, string> = { name: siteName(0), domain: siteDomain(1), abn: siteAbn(0) };

function fillIn(prepared: Prepared | undefined, site: number): Buffer {
  if (!prepared) throw new Error('there is nothing to answer with');
  const answer = Buffer.from(prepared.bytes);
  const texts = { name: siteName(site), domain: siteDomain(site), abn: siteAbn(site) };
  for (const { at, what } of prepared.offsets) answer.write(texts[what], at, 'latin1');
  return answer;
}

function prepare(body: string): Prepared {
  const length = Buffer.byteLength(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  const bytes = Buffer.from(head + body);
  const offsets: { at: number; what: What }[] = [];
  for (const [what, mark] of Object.entries(marks) as [What, string][]) {
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
      offsets.push({ at, what });
    }
  }
  return { bytes, offsets };
}

function companyText(company: Record<string, unknown>): string {
  const codes = company.industry_codes as Record<string, unknown> | null | undefined;
  return JSON.stringify({
    ...company,
    id: `c_${marks.name}`,
    website: `https://www.${marks.domain}`,
    fqdn: marks.domain,
    network: marks.name,
    industry_codes: { ...codes, abn: marks.abn, acn: null },
  });
}
