import { existsSync } from 'node:fs';
import type { CommandModule } from 'yargs';
import { DossierError, exitCodeOf } from '../../errors.ts';
import {
  type JobArguments,
  once,
  type ShareArguments,
  shareOption,
} from '../options/job-options.ts';
import {
  filePath,
  logFormat,
  logLevel,
  singleText,
  wholeNumber,
} from '../options/option-values.ts';

interface WorkerArguments
  extends Pick<JobArguments, 'url' | 'key-file' | 'rate' | 'concurrency'>,
    ShareArguments {
  job: string | undefined;
  host: string;
  /** Undefined for --no-port. */
  port: number | undefined;
  'log-format': 'text' | 'json';
  'log-level': string;
}

const defaultPort = 9_464;
/** Long enough to say the last word. */
const lingerMs = 500;
/** Whatever tells of a failure is loaded first, which takes a while on a busy machine. */
const failureMs = 10_000;

export const workerCommand: CommandModule<object, WorkerArguments> = {
  command: 'worker [job]',
  describe: 'Make the calls of runs on other machines that share a service and key',
  builder: (args) =>
    args
      .positional('job', {
        type: 'string',
        coerce: filePath,
        describe: 'Job file (.yaml) or list whose service, share and limits to take; none needed',
      })
      .option('share', shareOption)
      .option('url', once('url', 'Address of the service'))
      .option('key-file', once('key-file', 'File that holds the key'))
      .option(
        'rate',
        once('rate', 'Requests a second, or none (default: as the job says, else as the runs ask)'),
      )
      .option('concurrency', once('concurrency', 'Calls under way at once (default: 8)'))
      .option('port', {
        default: defaultPort,
        coerce: portOrNone,
        describe:
          'Port of /healthz, /readyz and /metrics; 0 takes a free one, --no-port serves none',
      })
      .option('host', {
        requiresArg: true,
        coerce: singleText('host'),
        default: '127.0.0.1',
        describe: 'Address to bind; 0.0.0.0 in a container, so that its platform reaches it',
      })
      .option('log-format', logFormat)
      .option('log-level', logLevel)
      .example('$0 worker jobs/nightly.yaml', 'service, key, Redis and rate of a job')
      .example(
        '$0 worker --host 0.0.0.0',
        'all from DOSSIER_URL, DOSSIER_API_KEY and DOSSIER_SHARE',
      )
      .epilogue('SIGTERM and Ctrl-C give back what has not left, await the rest and end with 0.'),
  handler: async ({ job, url, keyFile, share, rate, concurrency, host, port, ...log }) => {
    const { openSharedService } = await import('./shared-service.ts');
    const { openWorkerVoice } = await import('./worker-voice.ts');
    const { serveCalls } = await import('./serve-calls.ts');
    const { failureFacts } = await import('../terminal/error-events.ts');
    const voice = openWorkerVoice(log.logFormat, log.logLevel);
    try {
      // A path that is mistyped would leave the worker with the environment alone.
      if (job !== undefined && !existsSync(job)) {
        throw new DossierError('INPUT_UNREADABLE', `${job} does not exist`);
      }
      const shared = openSharedService(job, { url, keyFile, share, rate, concurrency });
      if (shared.warning !== undefined)
        voice.log.warn({ warning: shared.warning }, 'key.unguarded');
      await serveCalls(shared, { host, port }, voice);
      leaveWithin(lingerMs);
    } catch (error) {
      process.exitCode = exitCodeOf(error);
      leaveWithin(failureMs);
      if (log.logFormat === 'text') throw error;
      voice.log.error(failureFacts(error), 'worker.failed');
    }
  },
};

/** What BullMQ still waits for, where Redis does not answer, would keep the process. */
function leaveWithin(ms: number): void {
  setTimeout(() => process.exit(), ms).unref();
}

/** yargs reads --no-port as a port of false. */
function portOrNone(given: unknown): number | undefined {
  if (given === false) return undefined;
  return wholeNumber('port', { min: 0, max: 65_535 })(given);
}
