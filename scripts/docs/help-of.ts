import { createProgram } from '../../src/cli/program.ts';

/** `['ledger', 'check']` → what `dossier ledger check --help` prints. */
export async function helpOf(words: readonly string[]): Promise<string> {
  const program = await createProgram(words, 80);
  return new Promise((resolve) => {
    program.parse([...words, '--help'], {}, (_error, _argv, output) => resolve(output));
  });
}
