import { resolve } from 'node:path';
import { heldReason } from '../../../errors.ts';
import type { RunSummary } from '../../../run/run-job.ts';
import { fromAnywhere } from '../../terminal/text.ts';
import { acceptCommand, type GivenJob } from '../start-texts.ts';

type HeldResult = Pick<RunSummary, 'exported'> & {
  readonly held: NonNullable<RunSummary['held']>;
};

/** What a held result is told with to those who do not see the terminal: as an error is. */
export function heldWords({ held, exported }: HeldResult, given: GivenJob) {
  const breaches = held.map(({ expected, message }) =>
    message.includes(expected) ? message : `${message} (expected ${expected})`,
  );
  const stand = exported.changesSince
    ? `The last good files, of ${exported.changesSince}, stand as they were`
    : 'No other file was changed';
  const where =
    exported.folder === null
      ? 'the new result is in the ledger'
      : `the new ones are in ${exported.folder}`;
  return {
    reason: heldReason,
    message: `the result is not what was expected: ${breaches.join('; ')}`,
    remedy: `${stand}; ${where}. If the result is right, this publishes it: ${acceptCommand(withoutFolder(given))}. If not, do nothing: the next run asks again for what was not found.`,
  };
}

/** The job by absolute paths, as a chat is read in no folder. */
function withoutFolder({ job, output, ledger }: GivenJob): GivenJob {
  return {
    job: fromAnywhere(job),
    output: output?.includes('://') ? output : output && resolve(output),
    ledger: ledger && resolve(ledger),
  };
}
