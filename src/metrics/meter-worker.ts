import type { ClientEvent } from '../client/client-event.ts';
import type { Clock } from '../runtime/clock.ts';
import { labelAttempt } from './attempt-labels.ts';
import { openPrometheusRegistry } from './prometheus-registry.ts';
import { recordShare, type ShareFigures, shareMetricNames } from './share-metrics.ts';
import { openThrottledTime } from './throttled-time.ts';

export interface WorkerMeter {
  onEvent(event: ClientEvent): void;
  /** No request of any machine leaves for so long. */
  onThrottled(waitMs: number): void;
  /** All metrics with the present figures, in the text format of Prometheus. */
  text(active: number, share: ShareFigures | undefined): Promise<string>;
}

/** Counts what a worker does. Its metrics are asked for, and sent nowhere. */
export function meterWorker(clock: Clock, job?: string): WorkerMeter {
  const registry = openPrometheusRegistry(job);
  const throttled = openThrottledTime(clock, (seconds) =>
    registry.record('dossier.worker.throttled', seconds, {}),
  );
  // Counters start at 0, so that a rate over them includes their first increase.
  registry.record('dossier.worker.throttled', 0, {});
  return {
    onEvent(event) {
      if (event.type !== 'attempt.made') return;
      const { operation, durationMs } = event;
      registry.record('dossier.worker.attempts', 1, labelAttempt(event));
      registry.record('dossier.worker.attempt.duration', durationMs / 1_000, { operation });
    },
    onThrottled: throttled.begin,
    async text(active, share) {
      throttled.update();
      registry.record('dossier.worker.active', active, {});
      // What was true before Redis went away is not told as if it were true now.
      for (const name of shareMetricNames) registry.forget(name);
      if (share) recordShare(registry, share);
      return await registry.text();
    },
  };
}
