/** Aligned lists, one entry for each slice of time. */
export interface ReportTimeline {
  readonly widthMs: number;
  readonly startsAt: readonly number[];
  readonly answered: readonly number[];
  readonly failed: readonly number[];
  readonly retried: readonly number[];
  readonly throttled: readonly number[];
  readonly throttledMs: readonly number[];
  readonly p50: readonly (number | null)[];
  readonly p90: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
  /** Of the whole run. */
  readonly whole: {
    readonly attempts: number;
    readonly answered: number;
    readonly failed: number;
    readonly retried: number;
    readonly throttled: number;
    readonly throttledMs: number;
    readonly p50: number | null;
    readonly p90: number | null;
    readonly p99: number | null;
  };
}
