import type { ExportSummary } from './export-run.ts';

/** A result that is whole, but not shown yet. */
export interface PreparedExport {
  /** As it is shown to people. */
  readonly place: string;
  commit(): Promise<ExportSummary>;
  abort(): Promise<void>;
}
