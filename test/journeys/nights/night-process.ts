/** A night in a process of its own, so that a test can kill it: `node night-process.ts <job> <night>`. */
import type { ResolvedJob } from '../../../src/job/resolved-job.ts';
import { runNight } from './run-night.ts';

const [, , job = '', night = ''] = process.argv;
const { exitCode } = await runNight(JSON.parse(job) as ResolvedJob, Number(night));
process.exitCode = exitCode;
