import { type ChangeCounts, type ChangeOp, changeOps } from '../../records/changes.ts';
import { counted } from '../terminal/text.ts';

/** What happened, in the words that follow a number. */
const words: Record<ChangeOp, readonly [one: string, many: string]> = {
  row_added: ['row added', 'rows added'],
  row_removed: ['row removed', 'rows removed'],
  company_found: ['company found', 'companies found'],
  company_lost: ['company lost', 'companies lost'],
  company_replaced: ['company replaced', 'companies replaced'],
  company_changed: ['company changed', 'companies changed'],
  person_joined: ['person joined', 'people joined'],
  person_left: ['person left', 'people left'],
  person_changed: ['person changed', 'people changed'],
};

export function totalChanges(counts: ChangeCounts): number {
  return changeOps.reduce((sum, op) => sum + counts[op], 0);
}

/** `3 companies found, 1 person joined`; an empty text where nothing changed. */
export function listChanges(counts: ChangeCounts): string {
  return changeOps
    .filter((op) => counts[op] > 0)
    .map((op) => counted(counts[op], ...words[op]))
    .join(', ');
}

/** `4 since r29: 3 companies found, 1 person joined` */
export function changesSince(since: string, counts: ChangeCounts): string {
  const total = totalChanges(counts);
  if (total === 0) return `none since ${since}`;
  return `${total.toLocaleString('en')} since ${since}: ${listChanges(counts)}`;
}
