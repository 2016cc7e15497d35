import { expect, test } from 'vitest';
import { type DestinationToWrite, writeDestinations } from '../../../src/run/write-destinations.ts';

test('no store is awaited between a prepared load and its COMMIT', async () => {
  const steps: string[] = [];
  const place = (kind: DestinationToWrite['kind']): DestinationToWrite => ({
    kind,
    address: kind,
    async prepare() {
      steps.push(`prepare ${kind}`);
      const commit = async () => {
        steps.push(`show ${kind}`);
        return 'nothing to write';
      };
      return { address: kind, commit, abort: async () => {} };
    },
  });
  const written = await writeDestinations([place('postgres'), place('s3'), place('folder')]);
  expect(steps).toEqual([
    ...['prepare folder', 'prepare s3', 'prepare postgres'],
    ...['show folder', 'show postgres', 'show s3'],
  ]);
  expect(written.map(({ kind }) => kind)).toEqual(['postgres', 's3', 'folder']);
});
