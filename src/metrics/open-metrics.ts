import { DossierError, type ErrorCode, exitCodeOf } from '../errors.ts';
import type { SpentSoFar } from '../run/calls/request-budget.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log/log.ts';
import { meterRun, type RunMeter } from './meter-run.ts';
import { otlpTarget } from './otlp-target.ts';
import type { Exporter, Recorder } from './recorder.ts';

export interface MetricsWanted {
  /** Path of a file for the textfile collector of node_exporter. */
  readonly file: string | undefined;
  /** Address of a collector that speaks OTLP over HTTP. */
  readonly otlp: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface MetricsParts {
  readonly job: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What the run spends, where that is counted. */
  readonly budget?: SpentSoFar;
  /** When the newest snapshot of the ledger was stored, where it has any. */
  readonly readSnapshotAt?: () => number | undefined;
  readonly everyMs?: number;
}

export interface RunMetrics {
  /** Undefined when no metrics are asked for. */
  readonly meter: RunMeter | undefined;
  /** Runs the work. An error of the work is recorded with its exit code and thrown on. */
  watch<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Sends everything a last time. Never throws, because metrics must not fail a run. */
  end(exitCode: number): Promise<void>;
}

const defaultEveryMs = 15_000;
const busyCodes: readonly ErrorCode[] = ['JOB_BUSY', 'LEASE_HELD'];

/** Opens the exporters that are asked for, and loads only their packages. */
export async function openMetrics(wanted: MetricsWanted, parts: MetricsParts): Promise<RunMetrics> {
  const exporters = await openExporters(wanted, parts);
  if (exporters.length === 0) {
    return { meter: undefined, watch: (work) => work(), end: async () => {} };
  }
  const recorder: Recorder = {
    record(metric, value, labels) {
      for (const { exporter } of exporters) exporter.record(metric, value, labels);
    },
  };
  const meter = meterRun(recorder, parts.clock, parts.budget);
  const sendAll = async () => {
    const snapshotAt = parts.readSnapshotAt?.();
    if (snapshotAt !== undefined) {
      recorder.record('dossier.ledger.snapshot.timestamp', snapshotAt / 1_000, {});
    }
    await Promise.all(exporters.map(({ send }) => send()));
  };
  let isSending = false;
  let sending = Promise.resolve();
  const sendNow = () => {
    if (isSending) return;
    isSending = true;
    meter.update();
    sending = sendAll().finally(() => {
      isSending = false;
    });
  };
  const timer = setInterval(sendNow, parts.everyMs ?? defaultEveryMs);
  timer.unref();

  const close = async () => {
    clearInterval(timer);
    await sending;
    for (const { exporter } of exporters) await exporter.close();
  };
  const end = async (exitCode: number) => {
    clearInterval(timer);
    await sending;
    meter.end(exitCode);
    await sendAll();
    await close();
  };
  return {
    meter: {
      ...meter,
      onStart(...given) {
        meter.onStart(...given);
        // Sent at once, so that even a short run replaces the numbers of the run before.
        sendNow();
      },
    },
    async watch(work) {
      try {
        return await work();
      } catch (error) {
        // Another process runs the job and sends its metrics, which must not be overwritten.
        const isJobBusy = error instanceof DossierError && busyCodes.includes(error.code);
        await (isJobBusy ? close() : end(exitCodeOf(error)));
        throw error;
      }
    },
    end,
  };
}

interface OpenExporter {
  readonly exporter: Exporter;
  /** Logs a failure and does not throw. */
  send(): Promise<void>;
}

async function openExporters(wanted: MetricsWanted, parts: MetricsParts): Promise<OpenExporter[]> {
  const { job, version, log } = parts;
  const { file } = wanted;
  const opening: (() => Promise<Exporter | undefined>)[] = [
    async () => {
      if (file === undefined) return undefined;
      const { openPrometheusFile } = await import('./prometheus-file.ts');
      return await openPrometheusFile(file, job);
    },
    async () => {
      const target = otlpTarget(wanted.otlp, wanted.env);
      if (target === undefined) return undefined;
      const { openOtlpExporter } = await import('./otlp-exporter.ts');
      return openOtlpExporter(target, job, version);
    },
  ];
  const opened: OpenExporter[] = [];
  for (const open of opening) {
    try {
      const exporter = await open();
      if (exporter) opened.push(withLoggedFailures(exporter, log));
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, 'metrics.unavailable');
    }
  }
  return opened;
}

/** Logs only the first of several failures in a row: a collector may be down for a night. */
function withLoggedFailures(exporter: Exporter, log: Log): OpenExporter {
  let isFailing = false;
  return {
    exporter,
    async send() {
      try {
        await exporter.send();
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ to: exporter.name, reason: reasonOf(error) }, 'metrics.lost');
        isFailing = true;
      }
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
