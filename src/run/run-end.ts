import { exits } from '../core/errors/exit-codes.ts';
import {
  DossierError,
  type ErrorCode,
  exitCodeOf,
  messageOf,
  withSentence,
} from '../core/errors.ts';
import type { Counts } from '../core/rules/outcomes.ts';
import { counted, formatNumber } from '../core/values/format.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { fromHere } from '../platform/files/local-path.ts';
import type { RunExport } from './export/export-run.ts';

/** The command, list, price or job must be changed, and then the list is read again. */
export function mustReadAgain(error: unknown): boolean {
  const { held, declined, usage, listUnusable, jobInvalid } = exits;
  const codes: readonly number[] = [held, declined, usage, listUnusable, jobInvalid];
  return codes.includes(exitCodeOf(error));
}

/** `expect.failed` allows failed rows, but not failed searches or damaged answers. */
export function exitCodeAfter(
  { rows, failedSearches }: Counts,
  expectations: ResolvedJob['expect'],
  isHeld: boolean,
  exported: RunExport,
  foundNone: boolean,
) {
  if (isHeld) return exits.held;
  if (exported.unreached) return exitCodeOf(exported.unreached);
  const isExpected = expectations.some(({ name }) => name === 'failed');
  const failedRows = isExpected ? 0 : rows.failed + rows.stale;
  const failed = failedRows + failedSearches + exported.damagedAnswers.size;
  return foundNone || failed > 0 ? exits.rowsFailed : exits.finished;
}

/** A run that stops with these errors still writes files, because its answers are paid for. */
const errorsWithFiles: readonly ErrorCode[] = [
  'SERVICE_DOWN',
  'BUDGET_SPENT',
  'QUOTA_SPENT',
  'THROTTLED_TOO_LONG',
  'KEY_REFUSED',
  'SHARE_DOWN',
  'SHARE_REFUSED',
];

export async function writeStopped(
  error: unknown,
  write: (stopped: DossierError) => Promise<RunExport>,
  signal: AbortSignal,
) {
  if (!(error instanceof DossierError) || !errorsWithFiles.includes(error.code)) return error;
  try {
    const { folder, rows, unreached } = await write(error);
    const { total, open, stale } = rows;
    const older = stale > 0 ? ` and ${counted(stale, 'older answer')}` : '';
    const done = `${formatNumber(total - open - stale)} of ${counted(total, 'row')} done${older}`;
    const missing = unreached ? `. But ${unreached.message}` : '';
    const saved =
      folder === null ? `The ledger has ${done}` : `The files are in ${fromHere(folder)}: ${done}`;
    return withSentence(error, saved + missing);
  } catch (exportError) {
    if (signal.aborted) return signal.reason;
    const why = messageOf(exportError);
    return withSentence(error, `The partial results could not be written: ${why}`);
  }
}
