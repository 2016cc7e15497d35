import { DossierError, type ErrorCode, exitCodeOf } from '../errors.ts';
import type { SpentSoFar } from '../run/calls/charges.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log/log.ts';
import { meterRun } from './meter-run.ts';
import type { Exporter, RecordMetric } from './metric-table.ts';

type Environment = Readonly<Record<string, string | undefined>>;

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

const busyCodes: readonly ErrorCode[] = ['JOB_BUSY', 'LEASE_HELD'];

/**
 * Opens the exporters that are asked for, a file and a collector, and loads only their packages. The meter is undefined
 * where none is. Nothing here throws: metrics must not fail a run.
 */
export async function openMetrics(
  wanted: { file: string | undefined; otlp: string | undefined; env: Environment },
  { job, version, clock, log, budget, readSnapshotAt, everyMs = 15_000 }: MetricsParts,
) {
  const exporters: Exporter[] = [];
  const open = async (opening: () => Promise<Exporter | undefined>) => {
    try {
      const exporter = await opening();
      if (exporter) exporters.push(exporter);
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, 'metrics.unavailable');
    }
  };
  await open(async () => {
    if (wanted.file === undefined) return undefined;
    const { openPrometheusFile } = await import('./prometheus-file.ts');
    return await openPrometheusFile(wanted.file, job);
  });
  await open(async () => {
    const target = otlpTarget(wanted.otlp, wanted.env);
    if (target === undefined) return undefined;
    const { openOtlpExporter } = await import('./otlp-exporter.ts');
    return openOtlpExporter(target, job, version);
  });

  const record: RecordMetric = (...given) => {
    for (const exporter of exporters) exporter.record(...given);
  };
  const meter = meterRun(record, clock, budget);
  const failing = new Set<Exporter>();
  const sendAll = async () => {
    const snapshotAt = readSnapshotAt?.();
    if (snapshotAt !== undefined) record('dossier.ledger.snapshot.timestamp', snapshotAt / 1_000);
    await Promise.all(
      exporters.map(async (exporter) => {
        try {
          await exporter.send();
          failing.delete(exporter);
        } catch (error) {
          const facts = { to: exporter.name, reason: reasonOf(error) };
          // Only the first of several failures in a row: a collector may be down for a night.
          if (!failing.has(exporter)) log.warn(facts, 'metrics.lost');
          failing.add(exporter);
        }
      }),
    );
  };
  let sending: Promise<void> | undefined;
  const sendNow = () => {
    if (sending !== undefined) return;
    meter.update();
    sending = sendAll().finally(() => {
      sending = undefined;
    });
  };
  const timer = setInterval(sendNow, everyMs);
  timer.unref();

  const close = async (exitCode?: number) => {
    clearInterval(timer);
    await sending;
    if (exitCode !== undefined) {
      meter.end(exitCode);
      await sendAll();
    }
    for (const exporter of exporters) exporter.close();
  };
  const observed: typeof meter = {
    ...meter,
    onStart(...given) {
      meter.onStart(...given);
      // Sent at once, so that even a short run replaces the numbers of the run before.
      sendNow();
    },
  };
  return {
    meter: exporters.length === 0 ? undefined : observed,
    /** Runs the work. An error of the work is recorded with its exit code and thrown on. */
    async watch<Result>(work: () => Promise<Result>): Promise<Result> {
      try {
        return await work();
      } catch (error) {
        // Another process runs the job and sends its metrics, which must not be overwritten.
        const isJobBusy = error instanceof DossierError && busyCodes.includes(error.code);
        await close(isJobBusy ? undefined : exitCodeOf(error));
        throw error;
      }
    },
    /** Sends everything a last time. */
    end: (exitCode: number) => close(exitCode),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The address for OTLP: from the flag, else from the variables of OpenTelemetry, else undefined.
 * Throws for an address or a protocol that Dossier does not support.
 */
export function otlpTarget(flag: string | undefined, env: Environment): URL | undefined {
  if (flag !== undefined) return collectorAt(flag, '--otlp', '/v1/metrics');
  const exporters = env.OTEL_METRICS_EXPORTER?.split(',').map((name) => name.trim());
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  if (exporters && !exporters.includes('otlp')) return undefined;

  const whole = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!whole && !base) return undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol === 'grpc') {
    throw new Error('OTEL_EXPORTER_OTLP_PROTOCOL asks for grpc; Dossier speaks http/json');
  }
  return whole
    ? collectorAt(whole, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT')
    : collectorAt(base ?? '', 'OTEL_EXPORTER_OTLP_ENDPOINT', '/v1/metrics');
}

/** The message does not quote the address, which may hold a password. */
function collectorAt(text: string, source: string, path = ''): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new Error(`${source} takes the address of a collector like http://127.0.0.1:4318`);
  }
  if (path !== '') url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}
