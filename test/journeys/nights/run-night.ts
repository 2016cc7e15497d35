import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountFor, prepareConnection } from '../../../src/cli/connect.ts';
import { exitCodeOf } from '../../../src/core/errors.ts';
import { systemClock } from '../../../src/core/runtime/clock.ts';
import { openLog } from '../../../src/core/runtime/log/log.ts';
import type { ResolvedJob } from '../../../src/job/resolved-job.ts';
import { runJob } from '../../../src/run/run-job.ts';
import { openReporter } from '../../../src/ui/report/report-sink.ts';

/** How a night ended. */
export interface NightEnd {
  readonly exitCode: number;
  readonly runId: number;
  readonly isResumed: boolean;
  /** Where the files are; undefined where none were written. */
  readonly folder: string | undefined;
  readonly isSame: boolean;
  readonly message: string;
}

/** Two o'clock on a night of a month that has enough of them. */
export function timeOf(night: number): number {
  return Date.UTC(2026, 6, night, 2);
}

/** Runs a job as the command does, but on a night of the calendar. */
export async function runNight(job: ResolvedJob, night: number): Promise<NightEnd> {
  const log = openLog({ format: 'json', level: 'silent' });
  const seen = {
    runId: 0,
    isResumed: false,
    folder: undefined as string | undefined,
    isSame: false,
  };
  try {
    const { exitCode } = await runJob(job, {
      openClient: prepareConnection(job, log, () => {}),
      account: accountFor(job),
      openReport: openReporter().openReport,
      clock: { ...systemClock, wallMs: () => timeOf(night) },
      version: '0.0.0',
      signal: new AbortController().signal,
      observer: {
        onIngest() {},
        onStart({ id }, isResumed) {
          Object.assign(seen, { runId: id, isResumed });
        },
        onProgress() {},
        onExport() {},
        onWritten({ folder, isSame }) {
          Object.assign(seen, { folder, isSame });
        },
      },
    });
    return { exitCode, ...seen, message: '' };
  } catch (error) {
    return { exitCode: exitCodeOf(error), ...seen, message: String(error) };
  }
}

/** The tables in a folder, by the names of their files. */
export function tablesIn(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  return Object.fromEntries(
    names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}
