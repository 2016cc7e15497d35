import type { ChangedPeople, ChangedRow, RowRecord, RunRecords } from './run-records.ts';

/** Gives the rows of two runs side by side, in the order of the later, removed ones last. */
export function* changedRows(base: RunRecords, run: RunRecords): Generator<ChangedRow> {
  const left = new Map<string, RowRecord>();
  for (const row of base.rows()) left.set(row.key, row);
  for (const after of run.rows()) {
    const before = left.get(after.key);
    left.delete(after.key);
    yield { key: after.key, ...(before && { before }), after };
  }
  for (const before of left.values()) yield { key: before.key, before };
}

export function* changedPeople(base: RunRecords, run: RunRecords): Generator<ChangedPeople> {
  const nameOf = ({ companyId, country }: { companyId: string; country: string }) =>
    `${country} ${companyId}`;
  const left = new Map(Array.from(base.people(), (company) => [nameOf(company), company]));
  for (const after of run.people()) {
    const before = left.get(nameOf(after));
    left.delete(nameOf(after));
    yield { ...(before && { before }), after };
  }
  for (const before of left.values()) yield { before };
}
