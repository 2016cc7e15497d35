import { basename, dirname } from 'node:path';
import { isListAddress, shownPath } from '../../runtime/files/local-path.ts';

const dataExtension =
  /(\.(csv|tsv|txt|jsonl|ndjson|json|xlsx|xlsm|parquet|parq|pq))?(\.(gz|zst))?$/i;

/**
 * `Leads März (final).csv.gz → leads-marz-final`. Every result has a rejects file or a workbook, so one
 * that is run again is named after its folder, too: `output/leads/rejects.csv → leads-rejects`. An address is
 * named after the last part of its path.
 */
export function jobName(given: string): string {
  const path = decoded(shownPath(given));
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

/** An address writes signs of a name as `%20`. */
function decoded(path: string): string {
  if (!isListAddress(path)) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
