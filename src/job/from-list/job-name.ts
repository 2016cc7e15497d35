import { basename, dirname } from 'node:path';

const dataExtension =
  /(\.(csv|tsv|txt|jsonl|ndjson|json|xlsx|xlsm|parquet|parq|pq))?(\.(gz|zst))?$/i;

/**
 * `Leads März (final).csv.gz → leads-marz-final`. Every result has a rejects file or a workbook, so one
 * that is run again is named after its folder, too: `output/leads/rejects.csv → leads-rejects`.
 */
export function jobName(path: string): string {
  const stem = path === '-' ? 'standard-input' : basename(path).replace(dataExtension, '');
  const folder = stem === 'rejects' || stem === 'workbook' ? `${basename(dirname(path))} ` : '';
  const name = (folder + stem)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
  return name || 'list';
}
