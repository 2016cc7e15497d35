import type { CommandModule } from 'yargs';
import { type Reading, readings } from '../identify/identifier.ts';
import {
  type JobArguments,
  once,
  type ShareArguments,
  shareOption,
} from './options/job-options.ts';
import { severalTexts, wholeNumber } from './options/option-values.ts';

export interface LookupArguments
  extends ShareArguments,
    Pick<JobArguments, 'ledger' | 'url' | 'key-file' | 'rate' | 'max-calls'> {
  identifier: string;
  as: Reading;
  country: string | undefined;
  people: boolean;
  seniority: string[] | undefined;
  department: string[] | undefined;
  position: string[] | undefined;
  'max-people': number | undefined;
  job: string | undefined;
  json: boolean;
}

const several = (option: string, describe: string) =>
  ({ requiresArg: true, coerce: severalTexts(option), describe }) as const;

/** The command worked, but the company was not found or a people search failed. */
const incompleteExitCode = 3;

export const lookupCommand: CommandModule<object, LookupArguments> = {
  command: 'lookup <identifier>',
  describe: 'Show one company, and with --people its people; remembered like those of a run',
  builder: (args) =>
    args
      .positional('identifier', {
        type: 'string',
        demandOption: true,
        describe: 'Domain, website, e-mail address, ABN, ACN or network URL',
      })
      .option('as', {
        choices: readings,
        default: 'auto' as const,
        describe: 'What to read it as',
      })
      .option('country', once('country', 'Country to ask about (default: AU, or as the job says)'))
      .option('people', { type: 'boolean', default: false, describe: 'Search its people, too' })
      .option('seniority', several('seniority', 'Id or name, such as C-Suite; may be repeated'))
      .option('department', several('department', 'Id or name, such as Sales; may be repeated'))
      .option('position', several('position', 'Words of the position; may be repeated'))
      .option('max-people', {
        requiresArg: true,
        coerce: wholeNumber('max-people', { min: 1, max: 100_000 }),
        describe: 'People to fetch at most (default: 50, or as the job says)',
      })
      .option('job', once('job', 'Take service, ledger, limits and reuse from this job file'))
      .option('ledger', once('ledger', 'SQLite file that remembers answers'))
      .option('url', once('url', 'Address of the service, or embedded for the sample data'))
      .option('key-file', once('key-file', 'File that holds the key'))
      .option('share', shareOption)
      .option('rate', once('rate', 'Requests a second, or none'))
      .option('max-calls', once('max-calls', 'Send at most this many requests that may be charged'))
      .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
      .example('$0 lookup larchhaven-apps-sample.com --url embedded', 'one of the sample data')
      .example('$0 lookup 57961803396 --people --seniority C-Suite --url embedded', 'by its ABN')
      .example(
        '$0 lookup larchhaven-apps-sample.com --job jobs/demo.yaml --json',
        'as the job does',
      )
      .epilogue(
        'Exit code 0: found. 3: asked, but there is no such company, or a people search failed.\n65: not an identifier; nothing was asked.',
      ),
  handler: async (args) => {
    const { planLookup } = await import('./lookup/lookup-plan.ts');
    const { lookUp } = await import('../run/run-job.ts');
    const { openLog } = await import('../runtime/log/log.ts');
    const { showRun } = await import('./run/run-progress.ts');
    const { accountFor, prepareConnection } = await import('./connect.ts');
    const { systemClock } = await import('../runtime/clock.ts');
    const { openProgress } = await import('./terminal/progress.ts');
    const { listenForSignals } = await import('./run/interruption.ts');
    const { joinObservers } = await import('./run/join-observers.ts');
    const { cutOffText } = await import('./run/cut-off.ts');
    const { lookupJson } = await import('./lookup/lookup-json.ts');
    const { lookupText } = await import('./lookup/lookup-text.ts');
    const { sampleDataText, unsharedText } = await import('./terminal/text.ts');
    const { guardCalls } = await import('./kept-ledger.ts');
    const { refuseUnstored, withKeptLedger } = await import('./kept-ledger.ts');

    const { job, question } = planLookup(args);
    for (const line of [...sampleDataText(job.service.url), ...unsharedText(job.service)]) {
      process.stderr.write(`${line}\n`);
    }
    using progress = openProgress();
    const log = openLog({ format: 'text', level: 'warn' });
    const say = (sentence: string) => {
      progress[Symbol.dispose]();
      process.stderr.write(`${sentence}\n`);
    };
    const interruption = listenForSignals((calls) => {
      process.stderr.write(cutOffText(calls, process.stderr));
    });
    const observer = joinObservers(showRun(progress, log, { say }), {
      onStop: interruption.onStop,
    });
    const { signal } = interruption;
    const kept = await withKeptLedger(
      job,
      'lookup',
      (ledger) =>
        lookUp(job, question, {
          // The key is read with the first call, because a lookup that is a cache hit needs none.
          account: accountFor(job),
          openClient: async (facts) => {
            const connect = prepareConnection(job, { log, onEvent: observer.onEvent });
            return guardCalls(ledger, await connect(facts));
          },
          clock: systemClock,
          signal: ledger?.signal ?? signal,
          observer,
        }),
      signal,
    );
    progress[Symbol.dispose]();

    const json = lookupJson(kept.result, job.reference);
    process.stdout.write(
      args.json ? `${JSON.stringify(json)}\n` : lookupText(json, process.stdout),
    );
    const isComplete = json.status === 'matched' && json.failedSearches === 0;
    process.exitCode = isComplete ? 0 : incompleteExitCode;
    refuseUnstored(kept);
  },
};
