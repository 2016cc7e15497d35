import type { CallRequest } from '../contract/call.ts';

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
  | { readonly type: 'gate.opened' };

export type OnEvent = (event: ClientEvent) => void;
