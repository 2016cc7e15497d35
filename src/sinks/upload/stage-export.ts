import { type ExportOptions, type ExportSummary, exportRun } from '../export-run.ts';
import type { RecordSource } from '../write-records.ts';

/** Writes all files of a run into a folder, where they wait to be brought elsewhere. */
export async function stageExport(
  source: RecordSource,
  options: ExportOptions,
): Promise<ExportSummary> {
  return await exportRun(source, options);
}
