import {
  answerSample,
  companyOf,
  domainOf,
  found,
  numberAsked,
  slugOf,
} from '../../journeys/sample-companies.ts';
import type { Reaction } from '../../support/hostile-server.ts';

/** The job and list of a world. Two worlds of the same shape must give the same files. */
export interface Shape {
  readonly rows: number;
  /** Number of the first row: lists with different ones overlap, or not at all. */
  readonly from: number;
  /** People that each company has for each of two searches; undefined for a job without people. */
  readonly people: number | undefined;
  readonly concurrency: number;
  readonly formats: readonly ('csv' | 'jsonl')[];
  /** Further settings of the job file: limits, reuse, output. */
  readonly job: { readonly limits?: object; readonly [key: string]: unknown };
}

export const defaultShape: Shape = {
  rows: 40,
  from: 0,
  people: 3,
  concurrency: 4,
  formats: ['jsonl', 'csv'],
  job: {},
};

export const jobName = 'leads';
const unknown = 9_000;

/** Rows of every outcome: matched, sharing a call, missed, matched by the second candidate, rejected. */
export function listOf({ rows, from }: Shape): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const number = from + index;
    const note = `"row ${number}, ""naïve"" 株式会社"`;
    switch (number % 10) {
      case 3:
        return `,https://www.${domainOf(number - 1)}/about,${note}`;
      case 5:
        return `,${domainOf(unknown + number)},${note}`;
      case 7:
        return `,not a domain,${note}`;
      case 8:
        return `linkedin.com/company/${slugOf(unknown + number)},${domainOf(number)},${note}`;
      default:
        return `,${domainOf(number)},${note}`;
    }
  });
  return `${['page,website,note', ...lines].join('\n')}\n`;
}

export function jobOf({ people, concurrency, formats, job }: Shape): object {
  return {
    name: jobName,
    input: { path: 'leads.csv' },
    identify: [{ column: 'page' }, { column: 'website' }],
    ...(people === undefined ? {} : { people: { seniority: [3, 4], pageSize: 2 } }),
    output: { path: 'output', format: formats },
    ledger: 'ledger.db',
    ...job,
    limits: { rate: 'none', concurrency, ...job.limits },
  };
}

/** The answer of a service without faults. Bodies are long enough to be compressed. */
export function answerTruly(
  { people = 0 }: Shape,
  request: { readonly method: string; readonly path: string; readonly body: string },
): Reaction {
  if (request.method === 'POST') return answerSample({ companies: unknown, people }, request);
  const number = numberAsked(request.path);
  if (number >= unknown) return answerSample({ companies: unknown }, request);
  const description = `Company ${number} makes things. `.repeat(20);
  return found({ ...companyOf(number), description });
}
