import type { CommandModule } from 'yargs';
import { errorCatalog } from '../../errors.ts';
import { type LedgerArguments, withLedger } from './ledger-options.ts';

export const checkLedgerCommand: CommandModule<object, LedgerArguments> = {
  command: 'check [job]',
  describe: 'Check the whole ledger: the file, what refers to what, the checksum of each answer',
  builder: (args) =>
    withLedger(args)
      .example('$0 ledger check', 'the ledger of the working directory')
      .example('$0 ledger check --ledger backup/ledger.db', 'a backup')
      .epilogue('Exit code 0: whole. 74: damaged; each finding has its remedy.'),
  handler: async (args) => {
    const { findLedger } = await import('./find-ledger.ts');
    const { examineLedger } = await import('../../ledger/care/examine-ledger.ts');
    const { checkJson, checkText } = await import('./check-report.ts');
    await using look = await findLedger(args);
    const examination = examineLedger(look.path);
    const report = checkJson(examination);
    process.stdout.write(
      args.json ? `${JSON.stringify(report)}\n` : checkText(report, process.stdout),
    );
    process.exitCode = report.ok ? 0 : errorCatalog.LEDGER_DAMAGED.exitCode;
  },
};
