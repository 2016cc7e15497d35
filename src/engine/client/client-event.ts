import type { CallRequest } from '../../core/contract/call.ts';
import type { RateReason } from './rate/rate-state.ts';

/** Facts about calling, for the log, the progress line and the report. None holds the key. */
export type ClientEvent =
  | {
      readonly type: 'attempt.made';
      readonly operation: CallRequest['operation'];
      /** Absent when nothing came back. */
      readonly status?: number;
      readonly verdict: string;
      readonly durationMs: number;
    }
  | {
      readonly type: 'retry.scheduled';
      readonly operation: CallRequest['operation'];
      /** The attempt that failed, counted from 1. */
      readonly attempt: number;
      readonly reason: string;
      readonly waitMs: number;
    }
  | {
      readonly type: 'service.throttled';
      readonly waitMs: number;
      /** When calls may leave again, by the wall clock. */
      readonly untilMs: number;
    }
  | { readonly type: 'gate.opened' }
  | {
      readonly type: 'rate.lowered' | 'rate.raised';
      /** Requests a second; Infinity where nothing limits them. */
      readonly perSecond: number;
      readonly ceiling: number | 'none';
      readonly reason: RateReason;
    };

export type OnEvent = (event: ClientEvent) => void;
