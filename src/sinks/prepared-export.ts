import type { ExportSummary } from './export-run.ts';

/** A result that is whole, but not shown yet. Ends with one of its two functions. */
export interface PreparedExport {
  /** Where it goes, as it is shown to people. */
  readonly place: string;
  /** Shows the result. */
  commit(): Promise<ExportSummary>;
  /** Removes what was prepared; what is shown stays as it is. */
  abort(): Promise<void>;
}
