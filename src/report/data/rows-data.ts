import type { RecordStatus } from '../../rules/outcomes.ts';

export interface SampledRows {
  readonly total: number;
  readonly rows: readonly ShownRow[];
  /** The file that has every row. */
  readonly file: string;
}

export interface ShownRow {
  readonly row: number;
  readonly status: RecordStatus;
  readonly reason?: string;
  readonly message?: string;
  readonly kind?: string;
  readonly identifier?: string;
  readonly match?: string;
  readonly country?: string;
  readonly company?: string;
  /** Of a company that carries another identifier than was asked for. */
  readonly domain?: string;
  readonly input: string;
}
