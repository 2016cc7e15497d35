import { changeOps } from '../../core/columns/compare-records.ts';
import { DossierError, exitCodeOf } from '../../core/errors.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import { microsPerUnit } from '../../core/runtime/budget/money.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log/log.ts';
import type { ClientEvent } from '../../engine/client/client-event.ts';
import type { SpentSoFar } from '../../run/calls/charges.ts';
import type { RunObserver } from '../../run/run-parts.ts';
import { type Exporter, labelAttempt, metricTable, type RecordMetric } from './metric-table.ts';

interface MetricsParts {
  readonly job: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What the run spends, where that is counted. */
  readonly budget?: SpentSoFar & { readonly left?: number };
  /** When the newest snapshot of the ledger was stored, where it has any. */
  readonly readSnapshotAt?: () => number | undefined;
  readonly everyMs?: number;
}

/**
 * Opens the exporters that are asked for, a file and a collector, and loads only their packages. The meter is undefined
 * where none is. Nothing here throws: metrics must not fail a run.
 */
export async function openMetrics(
  wanted: { file: string | undefined; otlp: string | undefined; env: NodeJS.ProcessEnv },
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
  const onStart: RunObserver['onStart'] = (...given) => {
    meter.onStart(...given);
    // Sent at once, so that even a short run replaces the numbers of the run before.
    sendNow();
  };
  return {
    meter: exporters.length === 0 ? undefined : { ...meter, onStart },
    /** Runs the work. An error of the work is recorded with its exit code and thrown on. */
    async watch<Result>(work: () => Promise<Result>): Promise<Result> {
      try {
        return await work();
      } catch (error) {
        // Another process runs the job and sends its metrics, which must not be overwritten.
        const isJobBusy = error instanceof DossierError && error.code === 'JOB_BUSY';
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
export function otlpTarget(flag: string | undefined, env: NodeJS.ProcessEnv): URL | undefined {
  const exporters = env.OTEL_METRICS_EXPORTER?.split(',').map((name) => name.trim());
  const isOff =
    env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || (exporters && !exporters.includes('otlp'));
  const whole = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT;
  const base = flag ?? env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const text = flag ?? (isOff ? undefined : whole || base);
  if (!text) return undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (flag === undefined && protocol === 'grpc') {
    throw new Error('OTEL_EXPORTER_OTLP_PROTOCOL asks for grpc; Dossier speaks http/json');
  }
  const url = URL.parse(text);
  // The message does not quote the address, which may hold a password.
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    const variable = whole ? 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
    const source = flag === undefined ? variable : '--otlp';
    throw new Error(`${source} takes the address of a collector like http://127.0.0.1:4318`);
  }
  if (flag !== undefined || !whole) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/metrics`;
  return url;
}

/** Records the events of a run as the metrics of the table. */
export function meterRun(
  record: RecordMetric,
  clock: Clock,
  budget?: Omit<NonNullable<MetricsParts['budget']>, 'spend'>,
) {
  const startedAtMs = clock.monotonicMs();
  let counts: Counts | undefined;

  record('dossier.run.started.timestamp', clock.wallMs() / 1_000);
  record('dossier.run.running', 1);
  // Counters start at 0, so that a rate over them includes their first increase.
  record('dossier.throttles', 0);
  for (const operation of metricTable['dossier.retries'].labels.operation) {
    record('dossier.retries', 0, { operation });
  }

  /** Records the present counts and times; to be called before each send. */
  const update = () => {
    record('dossier.run.duration', (clock.monotonicMs() - startedAtMs) / 1_000);
    if (budget) record('dossier.run.requests', budget.spent);
    if (budget?.money) record('dossier.run.cost', budget.money.micros / microsPerUnit);
    const left = budget?.left;
    if (left !== undefined && Number.isFinite(left)) record('dossier.run.budget.left', left);
    if (!counts) return;
    const { rows, people, failedSearches } = counts;
    record('dossier.run.rows.stale', rows.stale);
    const calls = { ...counts.calls, called: counts.calls.made + counts.calls.failed };
    for (const status of metricTable['dossier.run.rows'].labels.status) {
      record('dossier.run.rows', rows[status], { status });
    }
    for (const source of metricTable['dossier.run.calls'].labels.source) {
      record('dossier.run.calls', calls[source], { source });
    }
    record('dossier.run.calls.failed', calls.failed);
    record('dossier.run.people', people);
    record('dossier.run.searches.failed', failedSearches);
  };

  const observer: RunObserver = {
    onIngest() {},
    onStart(_run, _isResumed, current) {
      counts = current;
    },
    onProgress(current) {
      counts = current;
    },
    onExport() {},
    onJudged(held) {
      const name = 'dossier.run.expectation.breached';
      for (const expectation of metricTable[name].labels.expectation) {
        const isBreached = held?.some((breach) => breach.expectation === expectation);
        record(name, isBreached ? 1 : 0, { expectation });
      }
    },
    onWritten({ changes, rows, tally }) {
      if (counts) counts = { ...counts, rows };
      const oldest = tally?.oldestAnswerAt;
      if (oldest) record('dossier.run.answers.oldest.timestamp', Date.parse(oldest) / 1_000);
      if (changes.since === null) return;
      for (const op of changeOps) record('dossier.run.changes', changes[op], { op });
    },
  };
  return {
    ...observer,
    onEvent(event: ClientEvent) {
      switch (event.type) {
        case 'attempt.made': {
          const { operation, durationMs } = event;
          record('dossier.attempts', 1, labelAttempt(event));
          record('dossier.attempt.duration', durationMs / 1_000, { operation });
          return;
        }
        case 'retry.scheduled':
          record('dossier.retries', 1, { operation: event.operation });
          return;
        case 'service.throttled':
          record('dossier.throttles', 1);
          return;
        case 'gate.opened':
          return;
        case 'rate.lowered':
        case 'rate.raised':
          if (event.ceiling !== 'none') record('dossier.rate', event.perSecond);
      }
    },
    update,
    /** Records the end of the run. */
    end(exitCode: number) {
      const endedAt = clock.wallMs() / 1_000;
      update();
      record('dossier.run.running', 0);
      record('dossier.run.exit_code', exitCode);
      record('dossier.run.ended.timestamp', endedAt);
      if ([0, 3].includes(exitCode)) record('dossier.run.last_success.timestamp', endedAt);
    },
  };
}
