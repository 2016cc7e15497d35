import {
  type ExportOptions,
  prepareExport,
} from '../../src/results/destinations/folder/prepare-export.ts';
import type { ExportSummary, RecordSource } from '../../src/results/sink.ts';
import { sampleFacts, sampleNames, startedAfter } from './sample-run.ts';

/** How a run is written to a folder, in all columns. */
export function exportInto(folder: string, formats: ExportOptions['formats']): ExportOptions {
  return {
    folder,
    formats,
    columns: ['all'],
    order: undefined,
    delimiter: ',',
    excelSafe: false,
    bom: false,
    facts: sampleFacts,
    reference: sampleNames,
    isLater: startedAfter(sampleFacts),
  };
}

/** Writes a run to a folder and shows it at once. */
export async function exportRun(
  source: RecordSource,
  options: ExportOptions,
): Promise<ExportSummary> {
  const prepared = await prepareExport(source, options);
  return await prepared.commit();
}
