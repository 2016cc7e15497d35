import { z } from 'zod';
import { defaultKeepRuns } from '../../runtime/terms/default-retention.ts';
import { group, localPath, wholeNumber, yesOrNo } from './fields.ts';

/** The path of a ledger, also as a flag. */
export const ledgerPath = localPath('the path of a file');

/** How a ledger is kept of which a job says nothing, or only where it is. */
export const defaultLedger = { keepRuns: defaultKeepRuns, mustExist: false } as const;

export const Ledger = z.union(
  [
    ledgerPath,
    group({
      path: ledgerPath
        .optional()
        .describe(
          'The file, relative to the job file; `output/ledger.db` in the working directory when absent.',
        ),
      keepRuns: wholeNumber({ min: 1, max: 100_000 })
        .default(defaultLedger.keepRuns)
        .describe(
          'Runs of the job that stay as they were, for `export --run`; the rows of older ones go when a run has finished. Answers stay as long as a job may use them.',
        ),
      mustExist: yesOrNo()
        .default(defaultLedger.mustExist)
        .describe(
          'Ends a run whose ledger has vanished (74) instead of paying for everything again. `dossier ledger create` makes the first.',
        ),
    }),
  ],
  'the path of a file, or {path: …, keepRuns: …, mustExist: …}',
);
