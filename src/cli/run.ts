import { exitCodeOf } from '../errors.ts';
import { command, type Terminal } from './command.ts';
import {
  allFlags,
  flag,
  job,
  jobFlags,
  logFormat,
  logLevel,
  path,
  text,
  usage,
  type Values,
} from './options.ts';
import type { Ending } from './run/end/end-run.ts';
import type { RunVoice } from './run/run-voice.ts';
import type { Page } from './terminal/page.ts';

const options = {
  ...allFlags,
  job,
  ...jobFlags('share', 'refresh'),
  json: flag('End with one JSON summary'),
  dryRun: flag('Make no call; say what a run would do, as dossier plan does'),
  newLedger: flag(
    'Start a job whose ledger must exist although there is none; refuses where there is one',
  ),
  open: flag(
    'Show a run of more than 5 s in the browser while it goes on, and its report at the end',
  ),
  logFormat,
  logLevel,
  metricsFile: path('Keep metrics in this file, for the textfile collector of Prometheus'),
  otlp: text('Send metrics to this OpenTelemetry collector; also OTEL_EXPORTER_OTLP_ENDPOINT'),
};

export const run = command({
  options,
  examples: {
    '$0 run jobs/demo.yaml': 'the demonstration, offline',
    '$0 run fixtures/leads/leads.csv --url embedded': 'a bare list over the sample data',
    '$0 run jobs/nightly.yaml --max-calls 500': 'at most 500 requests this time',
  },
  async facts(args, terminal) {
    const { openRunVoice } = await import('./run/run-voice.ts');
    const { openEnding } = await import('./run/end/end-run.ts');
    using voice = openRunVoice(args, args.logFormat, args.logLevel);
    const end = openEnding(voice, args.json);
    try {
      refuseMetrics(args);
      return await perform(args, voice, end, terminal);
    } catch (error) {
      process.exitCode = exitCodeOf(error);
      await end.failed(error);
      return undefined;
    }
  },
  json: ({ found }) => found,
  text: ({ text: plan }, page) => plan(page),
});

type Given = Values<typeof options>;

/** Metrics cannot go to standard output: the file is replaced at every send. */
function refuseMetrics({ metricsFile, otlp }: Given): void {
  if (metricsFile === '-') throw usage('--metrics-file takes the path of a file');
  // The message does not quote the address, which may hold a password.
  if (otlp !== undefined && !/^https?:$/.test(URL.parse(otlp)?.protocol ?? '')) {
    throw usage('--otlp takes an address like http://127.0.0.1:4318');
  }
}

async function perform(args: Given, voice: RunVoice, end: Ending, terminal: Terminal) {
  const { openJobToRead } = await import('../overview/jobs/open-job.ts');
  const opened = openJobToRead(args.job, args);
  const ledgerCare = { ...opened.ledgerCare, ...(args.newLedger && { mustExist: false }) };
  const job = { ...opened, ledgerCare };
  if (args.dryRun) {
    const { planned, planText } = await import('./plan.ts');
    const plan = await planned(job, terminal);
    return { found: plan.found, text: (page: Page) => planText(plan, page, args) };
  }
  const { performRun } = await import('./run/perform-run.ts');
  const { sideCopyNotes } = await import('./run/side-copy.ts');
  const { sharingText } = await import('./connect.ts');
  const notes = [...sharingText(job.service), ...(await sideCopyNotes(job, args))];
  for (const note of notes) voice.sayNote(note);
  await performRun(job, args, { voice, end, notes });
  return undefined;
}
