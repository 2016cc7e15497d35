import type { Argv } from 'yargs';
import { type JobArguments, once } from '../options/job-options.ts';
import { filePath } from '../options/option-values.ts';

/** The flags of every `dossier ledger` command. */
export interface LedgerArguments extends Pick<JobArguments, 'ledger'> {
  job: string | undefined;
  json: boolean;
}

/** Adds the flags that say which ledger is meant. */
export function withLedger<Before>(args: Argv<Before>) {
  return args
    .option('ledger', once('ledger', 'The ledger (default: DOSSIER_LEDGER, or output/ledger.db)'))
    .option('job', once('job', 'Job file (.yaml) whose ledger is meant'))
    .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' });
}

/** The file that `backup` writes or `merge` reads. */
export const filePositional = (describe: string) =>
  ({ type: 'string', demandOption: true, coerce: filePath, describe }) as const;
