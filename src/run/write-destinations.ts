import { DossierError, exitCodeOf } from '../core/errors.ts';
import type { Run } from '../engine/ledger/runs/runs.ts';
import type { ResolvedDestination } from '../job/resolve-job.ts';
import {
  type ExportOptions,
  type FileOptions,
  prepareExport,
} from '../results/destinations/folder/prepare-export.ts';
import type { UploadOptions } from '../results/destinations/s3/prepare-upload.ts';
import type { ExportSummary, PreparedExport, RecordSource } from '../results/sink.ts';
import { addressOf, resultFolder } from './destinations.ts';

export interface WrittenDestination {
  readonly kind: ResolvedDestination['kind'];
  /** Shown to users, so it contains no secrets. */
  readonly address: string;
  readonly summary?: ExportSummary;
  readonly failed?: DossierError;
  readonly leftOut?: string;
}

export interface DestinationToWrite extends WrittenDestination {
  prepare?(): Promise<PreparedExport>;
}

type DestinationOptions = Omit<ExportOptions, 'folder' | keyof FileOptions> &
  Pick<UploadOptions, 'startedAt' | 'ledger'>;

export function destinationToWrite(
  destination: ResolvedDestination,
  run: Run,
  openSource: () => RecordSource,
  options: DestinationOptions,
): DestinationToWrite {
  const to = { kind: destination.kind, address: addressOf(destination, run) };
  switch (destination.kind) {
    case 'folder':
      return {
        ...to,
        async prepare() {
          const folder = await resultFolder(destination, run, options.facts.complete);
          return await prepareExport(openSource(), { ...options, ...destination, folder });
        },
      };
    case 's3':
      // A held result may be wrong, so programs must not find it in the bucket.
      if (run.held) return { ...to, leftOut: 'The result is held until it is accepted.' };
      return {
        ...to,
        async prepare() {
          const { prepareUpload } = await import('../results/destinations/s3/prepare-upload.ts');
          return await prepareUpload(openSource(), { ...options, ...destination });
        },
      };
    case 'postgres': {
      const address = destination.address.reveal(process.env);
      const leftOut = 'The environment variable for the database URL is empty.';
      if (!address) return { ...to, leftOut };
      return {
        ...to,
        async prepare() {
          const { prepareLoad } = await import('../results/destinations/postgres/prepare-load.ts');
          return await prepareLoad(openSource(), { ...options, ...destination, address });
        },
      };
    }
  }
}

/**
 * Prepares everything before publishing anything. An unreachable S3 or PostgreSQL is skipped; a
 * folder's error fails the write.
 */
export async function writeDestinations(
  destinations: readonly DestinationToWrite[],
  signal?: AbortSignal,
): Promise<WrittenDestination[]> {
  const written = new Map<DestinationToWrite, WrittenDestination>();
  const prepared = new Map<DestinationToWrite, PreparedExport>();
  const inOrder = async (
    kinds: readonly WrittenDestination['kind'][],
    step: (destination: DestinationToWrite) => Promise<unknown>,
  ) => {
    for (const destination of kinds.flatMap((kind) =>
      destinations.filter((one) => one.kind === kind),
    )) {
      try {
        await step(destination);
      } catch (error) {
        const { kind, address } = destination;
        // An abort is not an error of the destination.
        const isOfPlace = error instanceof DossierError && error !== signal?.reason;
        if (kind === 'folder' || !isOfPlace) throw error;
        written.set(destination, { kind, address, failed: error });
      }
    }
  };
  try {
    await inOrder(['folder', 's3', 'postgres'], async (destination) => {
      const result = await destination.prepare?.();
      if (result) prepared.set(destination, result);
    });
    signal?.throwIfAborted();
    // PostgreSQL before S3, because other sessions may have to wait until the COMMIT.
    await inOrder(['folder', 'postgres', 's3'], async (destination) => {
      const result = prepared.get(destination);
      prepared.delete(destination);
      if (!result) return;
      const done = await result.commit();
      const outcome = typeof done === 'string' ? { leftOut: done } : { summary: done };
      written.set(destination, { kind: destination.kind, address: result.address, ...outcome });
    });
  } finally {
    for (const result of prepared.values()) await result.abort().catch(() => {});
  }
  return destinations.map((destination) => written.get(destination) ?? destination);
}

/**
 * Returns the error with the highest exit code: a wrong password (77), which a person must fix,
 * matters more than an unavailable database (69).
 */
export function unreachedError(destinations: readonly WrittenDestination[]) {
  const failures = destinations.flatMap(({ failed }) => failed ?? []);
  const reasons = failures.map(({ message }) => message);
  const [worst] = failures.sort((one, other) => exitCodeOf(other) - exitCodeOf(one));
  if (!worst) return undefined;
  const message = `the result is in the ledger, but not at every destination: ${reasons.join('; ')}`;
  return new DossierError(worst.code, message, { cause: worst });
}
