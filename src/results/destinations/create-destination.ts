import type { ResolvedDestination } from '../../job/resolve-destinations.ts';
import type { Destination } from './destination.ts';
import { folder } from './folder/folder.ts';
import { postgres } from './postgres/postgres.ts';
import { s3 } from './s3/s3.ts';

const kinds = { folder, s3, postgres } satisfies {
  [Kind in ResolvedDestination['kind']]: (
    given: Extract<ResolvedDestination, { kind: Kind }>,
  ) => Destination;
};

export function createDestination(given: ResolvedDestination): Destination {
  return (kinds[given.kind] as (given: ResolvedDestination) => Destination)(given);
}
