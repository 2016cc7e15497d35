import { prepareConnection } from '../../src/cli/parts/connect.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { readJob } from '../../src/run/jobs/read-job.ts';
import { runJob } from '../../src/run/run-job.ts';

/*
 * Makes a run as the command does: `steps-of-a-run.ts <list> <url> <ledger> <output>` prints the time
 * of reading, calling and writing.
 */
const [list = '', url = '', ledger = '', output = ''] = process.argv.slice(2);
const flags = { url, ledger, output, rate: 'none', concurrency: '64' };
const job = readJob(list, flags);
const openedAt = spent();
let callingAt = openedAt;
let writingAt = openedAt;

const summary = await runJob(job, {
  openClient: prepareConnection(job, createLog({ format: 'text', level: 'error' }), () => {}),
  clock: systemClock,
  version: '0',
  signal: new AbortController().signal,
  observer: {
    onIngest: () => {},
    onStart: () => {
      callingAt = spent();
    },
    onProgress: () => {},
    onExport: () => {
      writingAt = spent();
    },
  },
});
const endedAt = spent();
const steps = {
  rows: summary.exported.rows.total,
  calls: summary.counts.calls.made,
  reading: difference(openedAt, callingAt),
  calling: difference(callingAt, writingAt),
  writing: difference(writingAt, endedAt),
};
process.stdout.write(`${JSON.stringify(steps)}\n`);

/** Seconds so far: wall time, and CPU time of all threads. */
function spent() {
  const { user, system } = process.cpuUsage();
  return { seconds: performance.now() / 1_000, cpuSeconds: (user + system) / 1_000_000 };
}

function difference(from: ReturnType<typeof spent>, to: ReturnType<typeof spent>) {
  return { seconds: to.seconds - from.seconds, cpuSeconds: to.cpuSeconds - from.cpuSeconds };
}
