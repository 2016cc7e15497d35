import { relative } from 'node:path';
import { DossierError, type ErrorCode, withSentence } from '../errors.ts';
import type { RunExport } from './write-outputs.ts';

/**
 * Stops after which a run writes what it has: what was paid for is of use, and rows that are open say so.
 * After a signal nobody waits for files. A job or an address that is wrong (78) has brought nothing that
 * its owner wants, and a disk or ledger in trouble cannot be written from.
 */
const worthFiles: readonly ErrorCode[] = [
  'SERVICE_DOWN',
  'BUDGET_SPENT',
  'QUOTA_SPENT',
  'THROTTLED_TOO_LONG',
  'KEY_REFUSED',
  'SHARE_DOWN',
  'SHARE_REFUSED',
  'SHARE_LOST',
];

/** Writes the files of a run that is stopped, and gives the error that says so and where they are. */
export async function writeStopped(
  error: unknown,
  write: (stopped: DossierError) => Promise<RunExport>,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof DossierError) || !worthFiles.includes(error.code)) return error;
  try {
    const { folder, counts, unreached } = await write(error);
    const done = number(counts.rows - counts.open - counts.stale);
    const older = counts.stale > 0 ? ` and ${number(counts.stale)} older answers` : '';
    const rows = `${done} of ${number(counts.rows)} rows done${older}`;
    const missing = unreached ? `. But ${unreached.message}` : '';
    if (folder === null) return withSentence(error, `The ledger has ${rows}${missing}`);
    return withSentence(error, `The files with ${rows} are in ${fromHere(folder)}${missing}`);
  } catch (trouble) {
    if (signal.aborted) return signal.reason;
    const why = trouble instanceof Error ? trouble.message : String(trouble);
    return withSentence(error, `The files with what there is could not be written: ${why}`);
  }
}

/** An address is the same from everywhere. */
function fromHere(folder: string): string {
  return folder.includes('://') ? folder : relative(process.cwd(), folder) || '.';
}

function number(count: number): string {
  return count.toLocaleString('en');
}
