import { expect, test } from 'vitest';
import { type PlaceToWrite, writePlaces } from '../../../src/run/write-outputs.ts';

test('no store is waited for between what a database prepares and its COMMIT', async () => {
  const steps: string[] = [];
  const place = (kind: PlaceToWrite['kind']): PlaceToWrite => ({
    ...{ kind, address: kind },
    async prepare() {
      steps.push(`prepare ${kind}`);
      const commit = async () => {
        steps.push(`show ${kind}`);
        return 'nothing to write';
      };
      return { place: kind, commit, abort: async () => {} };
    },
  });
  const written = await writePlaces([place('postgres'), place('s3'), place('folder')]);
  expect(steps).toEqual([
    ...['prepare folder', 'prepare s3', 'prepare postgres'],
    ...['show folder', 'show postgres', 'show s3'],
  ]);
  expect(written.map(({ kind }) => kind)).toEqual(['postgres', 's3', 'folder']);
});
