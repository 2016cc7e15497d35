import { basename } from 'node:path';

const dataExtension = /(\.(csv|tsv|txt|jsonl|ndjson|json|xlsx|xlsm))?(\.(gz|zst))?$/i;

/** `Leads März (final).csv.gz → leads-marz-final` */
export function jobName(path: string): string {
  const stem = path === '-' ? 'standard-input' : basename(path).replace(dataExtension, '');
  const name = stem
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
  return name || 'list';
}
