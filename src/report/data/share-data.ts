/** What runs and workers of the service and key share at present, for the page of a run that goes on. */
export interface ReportShare {
  readonly calls: { readonly waiting: number; readonly active: number };
  /** Members that make calls: workers, and runs that bring one. */
  readonly workers: number;
  readonly members: readonly ReportMember[];
  /** Requests a second; null where nothing limits them. */
  readonly rate: { readonly used: number; readonly allowed: number } | null;
  /** Why less is allowed than somebody asks for; null where it is not. */
  readonly loweredBy: 'other job' | 'throttled' | 'policy' | 'quota' | null;
  /** How long no request leaves; 0 where requests may leave. */
  readonly throttledMs: number;
}

export interface ReportMember {
  readonly id: string;
  readonly kind: 'run' | 'worker';
  /** Empty for a worker without a job. */
  readonly job: string;
  readonly machine: string;
  readonly version: string;
  readonly since: number;
  /** Calls that it makes at once; 0 for a run that only waits. */
  readonly concurrency: number;
}
