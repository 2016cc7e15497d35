import { z } from 'zod';
import { defaultKeepRuns } from '../../runtime/terms/default-retention.ts';
import { duration, group, localPath, text, wholeNumber, yesOrNo } from './fields.ts';

/** The path of a ledger, also as a flag. */
export const ledgerPath = localPath('the path of a file');

/** How a ledger is kept of which a job says nothing, or only where it is. */
export const defaultLedger = {
  keepRuns: defaultKeepRuns,
  mustExist: false,
  snapshot: undefined,
  every: '5m',
} as const;

const snapshotAddress = 'the address of an object, such as s3://bucket/leads/ledger.db.zst';

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
          'Ends a run whose ledger has vanished (74) instead of paying for everything again; with `snapshot`, one that finds neither a ledger nor a snapshot. `dossier run --new-ledger` starts the first.',
        ),
      snapshot: text(snapshotAddress)
        .regex(/^s3:\/\/[^/]+\/.*[^/]$/, snapshotAddress)
        .optional()
        .describe(
          'Where the ledger is kept for a machine that loses its disk, such as `s3://bucket/leads/ledger.db.zst`: it is restored before the first call, and stored at intervals and at the end. One process at a time uses it.',
        ),
      every: duration({ min: '1s', max: '24h' })
        .default(defaultLedger.every)
        .describe(
          'How often a run stores a snapshot while answers come. A lost disk costs the calls since the last one.',
        ),
    }),
  ],
  'the path of a file, or {path: …, keepRuns: …, mustExist: …, snapshot: …, every: …}',
);
