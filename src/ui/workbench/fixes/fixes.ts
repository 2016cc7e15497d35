import { inputColumns } from '../../../core/columns/table-columns.ts';
import { DossierError } from '../../../core/errors.ts';
import { openLedgerToRead } from '../../../engine/ledger/open-ledger.ts';
import { type Correction, readCorrections } from '../../../job/corrections.ts';
import { jobFingerprint } from '../../../job/job-fingerprint.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { readingOf as lookedUpAs, readListed } from '../../../run/corrections.ts';
import { openJobToRead } from '../../overview/jobs.ts';
import type { FixableColumn, Fixes } from '../api/fixes.ts';

/** The columns of a list as the last run has read it, and what they are read as. */
export type ReadColumns = ReturnType<typeof readColumns>;

export function readColumns(job: ResolvedJob, keys: readonly string[] = []) {
  return readListed(job, new Set(), [...keys]);
}

/** What of the list can be fixed, and what has been. */
export function readFixes(job: ResolvedJob): Fixes {
  const since = lastReading(job);
  return {
    columns: since === undefined ? [] : fixable(readColumns(job)),
    corrections: readCorrections(job.corrections).map(
      ({ row_key: key, column: header, was, now, at }) => {
        const isLookedUp = since !== undefined && Date.parse(at) <= since;
        return { key, header, was, now, isLookedUp };
      },
    ),
  };
}

/** Corrections that no run has read yet. */
export function notLookedUp(job: ResolvedJob): Correction[] {
  const since = lastReading(job) ?? Number.NEGATIVE_INFINITY;
  return readCorrections(job.corrections).filter(({ at }) => Date.parse(at) > since);
}

/** When the newest run that has read the whole list began to; a try of some rows says nothing of others. */
function lastReading({ ledger: path, name }: ResolvedJob): number | undefined {
  using ledger = openLedgerToRead(path);
  const runs = ledger?.runs.list(name) ?? [];
  return runs.find(({ state, rowLimit }) => state !== 'ingesting' && rowLimit === null)?.startedAt;
}

function fixable({ columns, plan }: ReadColumns): FixableColumn[] {
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

/** What a column is read as. Only columns that rows are looked up by can be fixed. */
export function readingOf({ columns, plan }: ReadColumns, header: string) {
  const index = columns.indexOf(header);
  const as = lookedUpAs(index, plan);
  if (as !== undefined) return { index, as };
  const message = `rows are not looked up by ${JSON.stringify(header)}`;
  throw new DossierError('USAGE', message);
}

/** Whether the unfinished run of a job only looks up fixed rows: `dossier run` would begin another one instead. */
export function isFixUnfinished(path: string): boolean {
  const job = { ...openJobToRead(path, {}), keepsOutcomes: true };
  using ledger = openLedgerToRead(job.ledger);
  const newest = ledger?.runs.newest(job.name);
  return newest?.state === 'open' && newest.jobFingerprint === jobFingerprint(job);
}
