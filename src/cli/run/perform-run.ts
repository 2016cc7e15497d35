import { existsSync } from 'node:fs';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openMetrics } from '../../metrics/open-metrics.ts';
import { openReporter } from '../../report/report-sink.ts';
import { openRequestBudget } from '../../run/calls/charges.ts';
import { runJob } from '../../run/run-job.ts';
import { systemClock } from '../../runtime/clock.ts';
import { packageVersion } from '../../runtime/package-path.ts';
import { accountFor, prepareConnection } from '../connect.ts';
import { guardCalls, type KeptLedger, keepLedger, whileKept } from '../kept-ledger.ts';
import { nameJobFromAnywhere } from '../terminal/text.ts';
import { openBrowser } from '../ui/open-browser.ts';
import type { Ending } from './end/end-run.ts';
import { openJobOnCall } from './end/open-job-on-call.ts';
import { listenForSignals } from './interruption.ts';
import { joinObservers } from './join-observers.ts';
import { openRunView } from './run-view.ts';
import type { RunVoice } from './run-voice.ts';
import { startedBy } from './started-by.ts';

/** What the command line asks of a run beside its job. */
interface RunWishes {
  readonly metricsFile?: string | undefined;
  readonly otlp?: string | undefined;
  readonly open?: boolean;
  readonly newLedger?: boolean;
}

interface RunTellers {
  readonly voice: RunVoice;
  readonly end: Ending;
  /** What was said before, which the JSON object repeats. */
  readonly notes?: readonly string[];
  /** What is done before the run, and may look at the ledger; gives further notes, which are said. */
  readonly prepare?: () => Promise<readonly string[]>;
}

/** Runs a job as `run` and `fix` do: with its log, metrics, report and whoever is on call. */
export async function performRun(
  job: ResolvedJob,
  args: RunWishes,
  { voice, end, notes = [], prepare = async () => [] }: RunTellers,
): Promise<void> {
  const { log } = voice;
  const version = packageVersion();
  const budget = openRequestBudget(job.budget.perStart, job.service.price);
  let snapshotAt: KeptLedger['storedAt'] | undefined;
  const metrics = await openMetrics(
    { file: args.metricsFile, otlp: args.otlp, env: process.env },
    {
      job: job.name,
      version,
      clock: systemClock,
      log,
      budget,
      readSnapshotAt: () => snapshotAt?.(),
    },
  );
  const interruption = listenForSignals(end.cutOff);
  const onCall = await openJobOnCall(job, log);
  end.tell(onCall);
  const record = end.begin(job.name, budget);
  const observer = joinObservers(
    voice.show(budget),
    record,
    { onStop: interruption.onStop, onTaken: () => onCall?.begin() },
    metrics.meter,
  );
  const shown = { path: voice.given.job, job };
  await using _view = args.open === true ? openRunView(shown, voice.sayLive) : undefined;
  const reporter = openReporter(nameJobFromAnywhere);
  const told = [...notes];
  const { result: summary, trouble: unstored } = await metrics.watch(async () => {
    const connect = prepareConnection(job, { log, onEvent: observer.onEvent });
    const { signal } = interruption;
    const kept = await keepLedger(job, { log, say: voice.sayNote, signal });
    snapshotAt = kept?.storedAt;
    return await whileKept(kept, async () => {
      if (args.newLedger && existsSync(job.ledger)) {
        throw new DossierError('FILE_EXISTS', `there is a ledger at ${job.ledger}`);
      }
      for (const note of await prepare()) {
        voice.sayNote(note);
        told.push(note);
      }
      return await runJob(job, {
        openClient: async (facts) => guardCalls(kept, await connect(facts)),
        account: accountFor(job),
        openReport: reporter.openReport,
        clock: systemClock,
        version,
        startedBy: startedBy(process.env, process.stderr),
        signal: kept?.signal ?? signal,
        observer,
        budget,
      });
    });
  });

  const ended = record.done(summary, told, unstored);
  const report = reporter.path();
  await metrics.end(ended.exitCode);
  process.exitCode = ended.exitCode;
  await end.done({ summary, ended, report, trouble: reporter.trouble(), unstored });
  if (args.open === true && report !== undefined) openBrowser(report);
}
