import { z } from 'zod';
import type { backupLedger } from '../../ledger/care/backup-ledger.ts';
import { bytesText, counted, fromHere } from '../terminal/text.ts';

/** What `ledger backup --json` prints. */
export const LedgerBackupJson = z.strictObject({
  ledger: z.string().describe('The ledger that was copied.'),
  backup: z.string().describe('The copy.'),
  bytes: z.int().nonnegative().describe('Size of the copy.'),
  answers: z.int().nonnegative().describe('Answers in it.'),
  runs: z.int().nonnegative().describe('Runs and lookups in it.'),
});
type LedgerBackupJson = z.output<typeof LedgerBackupJson>;

type Backup = Awaited<ReturnType<typeof backupLedger>>;

export function backupJson({ path, ...backup }: Backup): LedgerBackupJson {
  return { ...backup, backup: path };
}

export function backupText({ path, bytes, answers, runs }: Backup): string {
  const content = `${counted(answers, 'answer', 'answers')}, ${counted(runs, 'run', 'runs')}`;
  return `${fromHere(path)}: ${bytesText(bytes)}, ${content}; looked through, and whole.\n`;
}
