/** The long form of the fault suite: `npm run faults`, or with a part of a file's name after `--`. */
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { faultReport } from './fault-report.ts';

process.env.DOSSIER_FAULT_ROUNDS ??= 'long';

const wanted = process.argv.slice(2).map((name) => `test/faults/${name}`);
const vitest = await startVitest('test', wanted.length > 0 ? wanted : ['test/faults'], {
  watch: false,
  // Each file mostly waits for the one process that it runs.
  maxWorkers: 3,
  reporters: ['default', faultReport(join('output', 'faults.json'))],
});
await vitest.close();
