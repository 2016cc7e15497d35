import type { Call } from '../../core/contract/call.ts';
import type { RateReason } from './rate/rate-state.ts';

/** Never contains the key of the service, because events are logged. */
export type ClientEvent = {
  /** Absent if the job has only one service. */
  readonly service?: string;
} & (
  | {
      readonly type: 'attempt.made';
      readonly operation: Call['operation'];
      readonly status?: number;
      readonly verdict: string;
      readonly durationMs: number;
    }
  | {
      readonly type: 'retry.scheduled';
      readonly operation: Call['operation'];
      readonly attempt: number;
      readonly reason: string;
      readonly waitMs: number;
    }
  | {
      readonly type: 'service.throttled';
      readonly waitMs: number;
      readonly untilMs: number;
      /** After so much waiting without an answer, the run stops. */
      readonly mostMs: number;
    }
  | { readonly type: 'gate.opened' }
  | {
      readonly type: 'rate.lowered' | 'rate.raised';
      readonly perSecond: number;
      readonly ceiling: number | 'none';
      readonly reason: RateReason;
    }
);

export type OnEvent = (event: ClientEvent) => void;
