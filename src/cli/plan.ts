import type { CommandModule } from 'yargs';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';
import {
  type JobArguments,
  jobPositional,
  type RefreshArguments,
  refreshOption,
  withJobOptions,
} from './options/job-options.ts';
import type { GivenJob } from './run/start-texts.ts';
import { openProgress, showReceived } from './terminal/progress.ts';
import { formatNumber, shellWord } from './terminal/text.ts';

interface PlanArguments extends JobArguments, RefreshArguments {
  job: string;
  json: boolean;
}

export const planCommand: CommandModule<object, PlanArguments> = {
  command: 'plan <job>',
  describe: 'Say what a run would do and how many calls it takes; makes none',
  builder: (args) =>
    withJobOptions(args)
      .positional('job', jobPositional)
      .option('refresh', refreshOption)
      .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object' })
      .example('$0 plan jobs/demo.yaml', 'what the demonstration would do')
      .example('$0 plan fixtures/leads/abns.csv --url embedded', 'the same for a bare list')
      .example('$0 plan jobs/demo.yaml --refresh misses', 'what asking again for misses would take')
      .example('$0 plan jobs/demo.yaml --json', 'for scripts'),
  handler: async (args) => {
    const { openJobToRead } = await import('../overview/jobs/open-job.ts');
    await showPlan(openJobToRead(args.job, args), args);
  },
};

/** The command line that makes the planned run, with the flags of the plan. */
export function runCommandLine(argv: readonly string[]): string {
  const words = argv.filter((word) => word !== '--json' && word !== '--dry-run');
  const at = words.findIndex((word) => word === 'plan' || word === 'run');
  // The address of --share may hold a password.
  return withoutSecrets(['dossier', ...words.with(at, 'run').map(shellWord)].join(' '));
}

/** Plans a job. The plan goes to standard output, the command to run next to standard error. */
export async function showPlan(job: ResolvedJob, args: GivenJob & { json: boolean }) {
  const { planJob } = await import('../run/plan-job.ts');
  const { planJson } = await import('../overview/plan/plan-json.ts');
  const { openToLook } = await import('./snapshot.ts');
  const { describeSnapshots, snapshotLines } = await import('./snapshot.ts');
  const { readConditions } = await import('./plan/read-conditions.ts');
  const { systemClock } = await import('../runtime/clock.ts');

  await using look = await openToLook(job);
  const planned = { ...job, ledger: look.path };
  using progress = openProgress();
  const plan = await planJob(planned, {
    clock: systemClock,
    onReceived: (...received) => showReceived(progress, ...received),
    onProgress: (rows, share) => progress.show(`reading  ${formatNumber(rows)} rows`, share),
  });
  progress[Symbol.dispose]();
  const shown = planJson(plan, readConditions(planned, systemClock.wallMs()));
  if (args.json) {
    process.stdout.write(`${JSON.stringify(shown)}\n`);
    return;
  }
  const snapshot = await describeSnapshots(job);
  // The plan does not know the answers of the snapshot.
  const notes = snapshot?.here === 'other' ? snapshotLines(snapshot) : [];
  for (const line of notes) process.stderr.write(`${line}\n`);
  const { renderPlan } = await import('./plan/render-plan.ts');
  process.stdout.write(renderPlan(shown, job, args, process.stdout));
  const next = shown.calls.most === 0 ? 'A run needs none:' : 'To make them:';
  process.stderr.write(`\nNo call was made. ${next}\n  ${runCommandLine(process.argv.slice(2))}\n`);
}
