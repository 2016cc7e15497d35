import { type ExportOptions, prepareExport } from '../../src/results/prepare-export.ts';
import type { ExportSummary, RecordSource } from '../../src/results/sink.ts';

/** Writes a run to a folder and shows it at once, as where a job has one place. */
export async function exportRun(
  source: RecordSource,
  options: ExportOptions,
): Promise<ExportSummary> {
  const prepared = await prepareExport(source, options);
  return await prepared.commit();
}
