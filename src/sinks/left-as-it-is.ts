import { noRecords } from './encode/encode-batch.ts';
import type { ManifestFacts } from './manifest.ts';
import type { ExportSummary } from './prepared-export.ts';

/** What there is to say of a place that keeps what it has; `why` is the sentence. */
export function leftAsItIs(
  folder: string,
  { run }: Pick<ManifestFacts, 'run'>,
  why: string,
): ExportSummary & { readonly notLoaded: string } {
  return {
    ...{ folder, changesSince: run.changesSince, isSame: false, tally: undefined },
    ...{ counts: noRecords(), files: [], unchanged: [], removed: [] },
    notLoaded: why,
  };
}
