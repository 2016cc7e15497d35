import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const bodyBytes = 4_096;
const sample = join(import.meta.dirname, '../../fixtures/sample/companies.jsonl');

interface SampleCompany {
  readonly id: string;
  readonly fqdn?: string | null;
  readonly network?: string | null;
  readonly industry_codes?: { readonly abn?: string | null } | null;
  readonly description?: string | null;
  readonly keywords?: readonly string[] | null;
}

/** The sample companies as JSON lines, with descriptions of realistic length. */
export function realisticCompanies(): string[] {
  const lines = readFileSync(sample, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const company = JSON.parse(line) as SampleCompany;
    const missing = bodyBytes - Buffer.byteLength(line);
    if (missing <= 0) return line;
    const words = `${(company.keywords ?? ['plain services']).join(', ')} for every branch. `;
    const filler = words.repeat(Math.ceil(missing / words.length)).slice(0, missing);
    return JSON.stringify({ ...company, description: `${company.description ?? ''} ${filler}` });
  });
}

/** All paths that find exactly one company, each with the expected body. */
export function answersOf(lines: readonly string[]): Map<string, string> {
  const answers = new Map<string, string>();
  const shared = new Set<string>();
  for (const line of lines) {
    for (const path of lookupPaths(JSON.parse(line) as SampleCompany)) {
      if (answers.has(path)) shared.add(path);
      answers.set(path, line);
    }
  }
  for (const path of shared) answers.delete(path);
  return answers;
}

function lookupPaths({ id, fqdn, network, industry_codes: codes }: SampleCompany): string[] {
  const url = network && `https://www.linkedin.com/company/${network}`;
  const identifiers = { id, abn: codes?.abn, fqdn, ln_slug: network, ln_url: url };
  return Object.entries(identifiers).flatMap(([kind, value]) =>
    value ? [`/company?${new URLSearchParams({ [kind]: value, country: 'AU' })}`] : [],
  );
}
