import type { CommandModule } from 'yargs';
import { DossierError } from '../../errors.ts';
import { parseDuration } from '../../runtime/duration.ts';
import { defaultKeepRuns, defaultStaleOnFailure } from '../../runtime/terms.ts';
import { wholeNumber } from '../options/option-values.ts';
import { type LedgerArguments, withLedger } from './ledger-options.ts';

interface PruneArguments extends LedgerArguments {
  'keep-runs': number | undefined;
  'older-than': number | undefined;
  'dry-run': boolean;
}

export const pruneCommand: CommandModule<object, PruneArguments> = {
  command: 'prune [job]',
  describe: 'Remove old runs and answers that no job uses any more; the file shrinks',
  builder: (args) =>
    withLedger(args)
      .option('keep-runs', {
        requiresArg: true,
        coerce: wholeNumber('keep-runs', { min: 1, max: 100_000 }),
        describe: `Runs of each job that stay (default: ledger.keepRuns of the job, or ${defaultKeepRuns})`,
      })
      .option('older-than', {
        requiresArg: true,
        coerce: olderThan,
        describe:
          'Remove runs and answers older than this, such as 90d, even if a job may still use them',
      })
      .option('dry-run', {
        type: 'boolean',
        default: false,
        describe: 'Say what would go; nothing is changed',
      })
      .example('$0 ledger prune --dry-run', 'what would go')
      .example('$0 ledger prune --keep-runs 7', 'only the last seven runs of each job stay')
      .epilogue(
        `The last published run of a job always stays, and the answers that it shows. Without --older-than an answer stays as long as a job may use it: its longest reuse or staleOnFailure, ${defaultStaleOnFailure} by default. A removed run can no longer be exported; \`dossier status\` still lists it.`,
      ),
  handler: async (args) => {
    const { findLedgerJob } = await import('./find-ledger.ts');
    const { refuseUnstored, withKeptLedger } = await import('../kept-ledger.ts');
    const { pruneLedger } = await import('../../ledger/care/prune-ledger.ts');
    const { pruneText } = await import('./prune-report.ts');
    const job = findLedgerJob(args);
    const done = await withKeptLedger(job, 'ledger prune', () =>
      pruneLedger(job.ledger, {
        keepRuns: args['keep-runs'],
        olderThanMs: args['older-than'],
        isDryRun: args['dry-run'],
        now: Date.now(),
      }),
    );
    const { isDryRun: dryRun, ...pruned } = done.result;
    const report = { ...pruned, dryRun };
    process.stdout.write(args.json ? `${JSON.stringify(report)}\n` : pruneText(report));
    refuseUnstored(done);
  },
};

function olderThan(given: unknown): number {
  const ms = parseDuration(String(given));
  if (ms !== undefined) return ms;
  throw new DossierError(
    'USAGE',
    `--older-than takes a time such as 90d or 12h, not ${JSON.stringify(given)}`,
  );
}
