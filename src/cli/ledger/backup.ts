import type { CommandModule } from 'yargs';
import { DossierError } from '../../errors.ts';
import { localFile } from '../options/option-values.ts';
import { filePositional, type LedgerArguments, withLedger } from './ledger-options.ts';

interface BackupArguments extends LedgerArguments {
  file: string;
  force: boolean;
}

export const backupCommand: CommandModule<object, BackupArguments> = {
  command: 'backup <file> [job]',
  describe: 'Copy the ledger, even while runs go on, and check the copy',
  builder: (args) =>
    withLedger(args)
      .positional('file', {
        ...filePositional('Where the copy goes; folders are made'),
        coerce: localFile,
      })
      .option('force', {
        type: 'boolean',
        default: false,
        describe: 'Replace an older backup, once the new one is whole',
      })
      .example('$0 ledger backup backup/ledger.db', 'the first')
      .example('$0 ledger backup backup/ledger.db nightly.yaml --force', 'every night')
      .epilogue(
        'The copy is one file, a ledger like any other: to restore it, stop all runs, put it in the place of the ledger and remove the files beside that end in -wal and -shm.',
      ),
  handler: async (args) => {
    const { findLedger } = await import('./find-ledger.ts');
    const { backupLedger } = await import('../../ledger/care/backup-ledger.ts');
    const { untilSignal } = await import('../../runtime/shutdown.ts');
    const { openProgress } = await import('../terminal/progress.ts');
    const { backupJson, backupText } = await import('./backup-report.ts');
    const stopping = new AbortController();
    void untilSignal(() => {}).then((signal) => {
      const code = signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED';
      stopping.abort(new DossierError(code, `stopped by ${signal}; no backup was made`));
    });
    await using look = await findLedger(args);
    using progress = openProgress();
    const backup = await backupLedger(look.path, args.file, {
      isForced: args.force,
      signal: stopping.signal,
      onProgress: (share) => progress.show('copied', share),
    });
    progress[Symbol.dispose]();
    process.stdout.write(
      args.json ? `${JSON.stringify(backupJson(backup))}\n` : backupText(backup),
    );
  },
};
