import { DossierError } from '../../errors.ts';
import type { RowPlan } from '../../identify/identify-row.ts';
import { type Correction, readCorrections } from '../../job/mended/correction.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { inputColumns } from '../../records/table-columns.ts';
import { readingOf as askedAs, readListed } from '../../run/corrections.ts';
import type { MendableColumn, Mended } from '../api/mended.ts';

/** The columns of a list as the last run has read it, and what they are read as. */
export interface ReadColumns {
  readonly columns: readonly string[];
  readonly plan: RowPlan;
}

export function readColumns(job: ResolvedJob): ReadColumns {
  return readListed(job, new Set());
}

/** What of the list can be mended, and what has been. */
export function readMended(job: ResolvedJob): Mended {
  const kept = readCorrections(job.corrections);
  const since = lastReading(job);
  return {
    columns: since === undefined ? [] : mendable(readColumns(job)),
    corrections: kept.map(({ row_key: key, column: header, was, now, at }) => ({
      ...{ key, header, was, now },
      isAsked: since !== undefined && Date.parse(at) <= since,
    })),
  };
}

/** Corrections that no run has read yet. */
export function notAsked(job: ResolvedJob): Correction[] {
  const since = lastReading(job) ?? Number.NEGATIVE_INFINITY;
  return readCorrections(job.corrections).filter(({ at }) => Date.parse(at) > since);
}

/** When the newest run that has read the whole list began to; a try of some rows says nothing of others. */
function lastReading({ ledger: path, name }: ResolvedJob): number | undefined {
  using ledger = openLedgerToRead(path);
  const runs = ledger?.runs.list(name) ?? [];
  return runs.find(({ state, rowLimit }) => state !== 'ingesting' && rowLimit === null)?.startedAt;
}

function mendable({ columns, plan }: ReadColumns): MendableColumn[] {
  const names = inputColumns(columns).map(({ name }) => name);
  const indexes = [
    ...plan.identify.map(({ index, as }) => ({ index, as: as as string })),
    ...(plan.country.index === undefined ? [] : [{ index: plan.country.index, as: 'country' }]),
  ];
  return indexes.flatMap(({ index, as }) => {
    const [name, header] = [names[index], columns[index]];
    return name === undefined || header === undefined ? [] : [{ name, header, as }];
  });
}

/** What a column is read as. Only those that say what a row asks for can be mended. */
export function readingOf({ columns, plan }: ReadColumns, header: string) {
  const index = columns.indexOf(header);
  const as = askedAs(index, plan);
  if (as !== undefined) return { index, as };
  throw new DossierError(
    'USAGE',
    `${JSON.stringify(header)} says nothing about what a row asks for`,
  );
}
