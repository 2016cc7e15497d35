/** Why a rate is below that of the job. */
export type LoweredBy = 'ceiling' | 'other job' | 'throttled' | 'policy';

/** What the ledger knows of the service and key that a run would meet. */
export interface PlanConditions {
  /** The rate that would hold, where it is below that of the job. */
  readonly lowered: { readonly perSecond: number; readonly reason: LoweredBy } | undefined;
  /** What is spent of the day's and the month's budget, and when they are whole again. */
  readonly spent: { readonly day: SpentPeriod; readonly month: SpentPeriod } | undefined;
}

interface SpentPeriod {
  readonly requests: number;
  readonly freeAtMs: number;
}

export const noConditions: PlanConditions = { lowered: undefined, spent: undefined };
