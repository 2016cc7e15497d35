import { attemptBounds, attemptLabels } from './attempt-labels.ts';
import type { Metric } from './metric-table.ts';
import type { Recorder } from './recorder.ts';

const noLabels = {} as const;

/** What runs and workers of one service and key share, as each of them tells it. */
export const shareMetrics = {
  'dossier.share.calls': {
    type: 'gauge',
    unit: '{call}',
    help: 'Calls of all runs in the queue of the share, by how they stand; delayed ones wait for a worker of their version, or for room in Redis.',
    labels: { state: ['waiting', 'active', 'delayed'] },
  },
  'dossier.share.runs': {
    type: 'gauge',
    unit: '{run}',
    help: 'Runs that share the service and key at present.',
    labels: noLabels,
  },
  'dossier.share.workers': {
    type: 'gauge',
    unit: '{worker}',
    help: 'Workers that make the calls of the share at present, those that runs bring included.',
    labels: noLabels,
  },
  'dossier.share.rate.used': {
    type: 'gauge',
    unit: '{request}',
    help: 'Requests of all machines that left in the last second; absent where nothing limits the rate.',
    labels: noLabels,
  },
  'dossier.share.rate.allowed': {
    type: 'gauge',
    unit: '{request}',
    help: 'Requests a second that may leave from all machines together; absent where nothing limits the rate.',
    labels: noLabels,
  },
} as const satisfies Record<string, Metric>;

export const shareMetricNames = Object.keys(shareMetrics) as readonly (keyof typeof shareMetrics)[];

/** What `dossier worker` does itself. A run that waits for the call counts it as an attempt, too. */
export const workerMetrics = {
  'dossier.worker.attempts': {
    type: 'counter',
    unit: '{attempt}',
    help: 'Requests that the worker has made, by what came back.',
    labels: attemptLabels,
  },
  'dossier.worker.attempt.duration': {
    type: 'histogram',
    unit: 's',
    help: 'How long one request took, from its first byte to the last of its answer.',
    labels: { operation: attemptLabels.operation },
    bounds: attemptBounds,
  },
  'dossier.worker.active': {
    type: 'gauge',
    unit: '{call}',
    help: 'Calls that the worker holds: on the wire, or waiting for the rate.',
    labels: noLabels,
  },
  'dossier.worker.throttled': {
    type: 'counter',
    unit: 's',
    help: 'Time during which no request left because the service had asked any machine for a pause.',
    labels: noLabels,
  },
} as const satisfies Record<string, Metric>;

/** The figures of a share that metrics tell. */
export interface ShareFigures {
  readonly calls: { readonly waiting: number; readonly active: number; readonly delayed: number };
  readonly runs: number;
  readonly workers: number;
  /** Undefined where nothing limits the rate. */
  readonly rate: { readonly used: number | undefined; readonly allowed: number | undefined };
}

export function recordShare(
  recorder: Recorder,
  { calls, runs, workers, rate }: ShareFigures,
): void {
  for (const state of shareMetrics['dossier.share.calls'].labels.state) {
    recorder.record('dossier.share.calls', calls[state], { state });
  }
  recorder.record('dossier.share.runs', runs, {});
  recorder.record('dossier.share.workers', workers, {});
  if (rate.used !== undefined) recorder.record('dossier.share.rate.used', rate.used, {});
  if (rate.allowed !== undefined) recorder.record('dossier.share.rate.allowed', rate.allowed, {});
}
