import type { ResolvedFiles } from '../../../job/resolve-destinations.ts';
import { requireWritable } from '../../../platform/files/atomic-file.ts';
import { fromHere } from '../../../platform/files/local-path.ts';
import type { Destination } from '../destination.ts';
import {
  choosePlace,
  fixedPart,
  isOfPublishedRun,
  pathValues,
  placesOf,
  removeHeld,
} from '../places.ts';

/** Loaded on demand, so `dossier plan` starts faster. */
const loadFolders = () => import('./export-folder.ts');

export function folder(given: ResolvedFiles): Destination {
  const { path, whenIncomplete } = given;
  return {
    kind: 'folder',
    name: path,
    stage: 'local',
    address: (run) => placesOf(path, pathValues(run)).result,
    // A run creates folders such as `{date}`, so the folder above them must be writable.
    require: (job) => requireWritable(fixedPart(path, job)),
    async check(job) {
      await requireWritable(fixedPart(path, job));
      return `${fromHere(path)}, writable`;
    },
    whyLeftOut: () => undefined,
    async prepare(source, options) {
      const { facts } = options;
      const { holdsComplete, heldBelow } = await loadFolders();
      const { prepareExport } = await import('./prepare-export.ts');
      const places = placesOf(path, options.pathValues);
      const at = await choosePlace(places, facts, whenIncomplete, holdsComplete);
      const prepared = await prepareExport(source, { ...options, ...given, folder: at });
      return {
        ...prepared,
        async commit() {
          const written = await prepared.commit();
          if (isOfPublishedRun(facts))
            await removeHeld(heldBelow(places.fixed, facts.job), options);
          return written;
        },
      };
    },
    async *results(job) {
      const { resultsBelow } = await loadFolders();
      yield* resultsBelow(fixedPart(path, job), job);
    },
  };
}
