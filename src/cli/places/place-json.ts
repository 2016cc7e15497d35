import { z } from 'zod';
import type { WrittenPlace } from '../../run/places/write-places.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import { ManifestFile } from '../../sinks/manifest.ts';

/** What has become of a result in one of its places. */
export const PlaceJson = z.strictObject({
  kind: z.enum(['folder', 's3', 'postgres']).describe('What the place is.'),
  address: z
    .string()
    .describe('The folder, or an address without user and password: `s3://…`, `postgres://…`.'),
  files: z.array(ManifestFile).describe('The files there; empty for a database.'),
  unchanged: z.array(z.string()).describe('Those of them that are as they were.'),
  failed: z
    .string()
    .nullable()
    .describe('Why it could not be written (exit code 74); `dossier export` writes it again.'),
  leftOut: z
    .string()
    .nullable()
    .describe('Why nothing was to be written there: a database is not given a held result.'),
});

export function placeJson(place: WrittenPlace): z.output<typeof PlaceJson> {
  const { kind, address, summary, failed, leftOut = null } = place;
  return {
    ...{ kind, address },
    files: [...(summary?.files ?? [])],
    unchanged: [...(summary?.unchanged ?? [])],
    failed: failed ? withoutSecrets(failed.message) : null,
    leftOut,
  };
}

/** The same for a log, which needs no list of files. */
export function placeFacts(place: WrittenPlace) {
  const { kind, address, failed, leftOut } = placeJson(place);
  return { kind, address, ...(failed && { failed }), ...(leftOut && { leftOut }) };
}
