import { writeFileSync } from 'node:fs';

/*
 * Loaded into a measured process with --import: writes the resource usage to a file at the end. The
 * system counts all threads and the highest memory, which sampling could miss.
 */
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMiB: maxRSS / 1024 };
  writeFileSync(process.env.BENCH_USAGE_FILE ?? '/dev/null', JSON.stringify(usage));
});
