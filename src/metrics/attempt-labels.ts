import type { ClientEvent } from '../client/client-event.ts';
import type { CallRequest } from '../contract/call.ts';

export const operations = [
  'company',
  'people',
] as const satisfies readonly CallRequest['operation'][];

/** The labels of a request that went to the service, each with all its values. */
export const attemptLabels = {
  operation: operations,
  status: ['2xx', '3xx', '4xx', '5xx', 'other', 'none'],
  verdict: [
    'hit',
    'miss',
    'invalid',
    'throttled',
    'refused',
    'quota',
    'transient',
    'unusable',
    'oversized',
    'other',
  ],
} as const;

/** Upper bounds of the buckets for the seconds that a request takes. */
export const attemptBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

type Labels = {
  readonly [Label in keyof typeof attemptLabels]: (typeof attemptLabels)[Label][number];
};

/** Verdicts that differ for the client, but not in a graph. */
const alike: Readonly<Record<string, string>> = { forbidden: 'refused', unproven: 'transient' };

export function labelAttempt({
  operation,
  status,
  verdict,
}: Extract<ClientEvent, { type: 'attempt.made' }>): Labels {
  return {
    operation,
    status: statusClass(status),
    verdict:
      attemptLabels.verdict.find((known) => known === (alike[verdict] ?? verdict)) ?? 'other',
  };
}

/** `404 → 4xx` */
function statusClass(status: number | undefined): Labels['status'] {
  if (status === undefined) return 'none';
  const found = `${Math.floor(status / 100)}xx`;
  return attemptLabels.status.find((known) => known === found) ?? 'other';
}
