import type { ResolvedFiles } from '../../../job/resolve-destinations.ts';
import { requirePackages } from '../../../platform/optional-packages.ts';
import type { Destination } from '../destination.ts';
import { fixedPart, pathValues, placesOf } from '../places.ts';

export function s3(given: ResolvedFiles): Destination {
  const { path } = given;
  return {
    kind: 's3',
    name: path,
    stage: 'remote',
    address: (run) => placesOf(path, pathValues(run)).result,
    require: () => requirePackages('s3://'),
    async check(job) {
      const { tryUpload } = await import('./prepare-upload.ts');
      await tryUpload(path, job);
      return `${path}, writable`;
    },
    // A held result may be wrong, and some programs read whatever a bucket has.
    whyLeftOut: ({ held }) => (held ? 'The result is held until it is accepted.' : undefined),
    async prepare(source, options) {
      const { prepareUpload } = await import('./prepare-upload.ts');
      return await prepareUpload(source, { ...options, ...given });
    },
    async *results(job) {
      const { openObjectStore } = await import('../../../platform/objects/open-object-store.ts');
      const { addressOf, resultsBelow } = await import('./show-result.ts');
      await using store = await openObjectStore();
      yield* resultsBelow(store, addressOf(fixedPart(path, job)), job);
    },
  };
}
