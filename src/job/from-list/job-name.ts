import { basename, dirname } from 'node:path';
import { decoded } from '../../core/values/known-secrets.ts';
import { isListAddress, shownPath } from '../../platform/files/local-path.ts';

export function isJobPath(path: string): boolean {
  return !isListAddress(path) && /\.ya?ml$/i.test(path);
}

/** Each sheet of a workbook is a list of its own: `leads`, `Sydney → leads-sydney` */
export function jobOfSheet(name: string, sheet: string): string {
  return jobName(`${name} ${sheet}`);
}

const dataExtension =
  /(\.(csv|tsv|txt|jsonl|ndjson|json|xlsx|xlsm|parquet|parq|pq))?(\.(gz|zst))?$/i;

/** `Leads März (final).csv.gz → leads-marz-final`, `output/leads/rejects.csv → leads-rejects` */
export function jobName(given: string): string {
  const path = isListAddress(given) ? decoded(shownPath(given)) : given;
  const stem = path === '-' ? 'standard-input' : basename(path).replace(dataExtension, '');
  const folder = stem === 'rejects' || stem === 'workbook' ? `${basename(dirname(path))} ` : '';
  return (
    (folder + stem)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 64)
      .replace(/^-+|-+$/g, '') || 'list'
  );
}
