import { writeFileSync } from 'node:fs';

/*
 * Loaded into a measured process with --import: at its end, all that it used is written to a file.
 * The system counts every thread, and the memory at its highest, which samples could miss.
 */
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMiB: maxRSS / 1024 };
  writeFileSync(process.env.BENCH_USAGE_FILE ?? '/dev/null', JSON.stringify(usage));
});
