import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { faultReport } from './fault-report.ts';

/** `npm run faults`, or with the beginning of file or folder names after `--`. `--short` runs each case as `npm test` does. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean' } },
});
process.env.DOSSIER_FAULT_ROUNDS ??= values.short ? 'short' : 'long';

const names = positionals.flatMap((name) => [`test/faults/${name}`, `test/faults/more/${name}`]);
const vitest = await startVitest('test', names.length > 0 ? names : ['test/faults'], {
  watch: false,
  // Each file mostly waits for the one process that it runs.
  maxWorkers: 3,
  reporters: ['default', faultReport(join('output', 'faults.json'))],
});
await vitest.close();
