import { DossierError, exitCodeOf } from '../../core/errors.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import type { Destination, WriteOptions } from '../../results/destinations/destination.ts';
import type { ExportSummary, PreparedExport, RecordSource } from '../../results/sink.ts';

export interface WrittenDestination extends Pick<Destination, 'kind' | 'name' | 'stage'> {
  /** Shown to users, so it contains no secrets. */
  readonly address: string;
  readonly summary?: ExportSummary;
  readonly failed?: DossierError;
  readonly leftOut?: string;
}

export interface DestinationToWrite extends WrittenDestination {
  prepare?(): Promise<PreparedExport>;
}

export function destinationToWrite(
  destination: Destination,
  run: Run,
  createSource: () => RecordSource,
  options: WriteOptions,
): DestinationToWrite {
  const { kind, name, stage } = destination;
  const to = { kind, name, stage, address: destination.address(run) };
  const leftOut = destination.whyLeftOut(options.facts);
  if (leftOut !== undefined) return { ...to, leftOut };
  return { ...to, prepare: () => destination.prepare(createSource(), options) };
}

/**
 * Prepares everything before publishing anything. A remote destination that fails is skipped; an
 * error of a local one fails the write.
 */
export async function writeDestinations(
  destinations: readonly DestinationToWrite[],
  signal?: AbortSignal,
): Promise<WrittenDestination[]> {
  const written = new Map<DestinationToWrite, Partial<WrittenDestination>>();
  const prepared = new Map<DestinationToWrite, PreparedExport>();
  const byStage = Map.groupBy(destinations, ({ stage }) => stage);
  const inOrder = async (
    stages: readonly Destination['stage'][],
    step: (destination: DestinationToWrite) => Promise<unknown>,
  ) => {
    for (const destination of stages.flatMap((stage) => byStage.get(stage) ?? [])) {
      try {
        await step(destination);
      } catch (error) {
        // An abort is not an error of the destination.
        const isOfPlace = error instanceof DossierError && error !== signal?.reason;
        if (destination.stage === 'local' || !isOfPlace) throw error;
        written.set(destination, { failed: error });
      }
    }
  };
  try {
    await inOrder(['local', 'remote', 'locking'], async (destination) => {
      const result = await destination.prepare?.();
      if (result) prepared.set(destination, result);
    });
    signal?.throwIfAborted();
    await inOrder(['local', 'locking', 'remote'], async (destination) => {
      const result = prepared.get(destination);
      prepared.delete(destination);
      if (!result) return;
      const summary = await result.commit();
      written.set(destination, { address: summary.folder, summary });
    });
  } finally {
    for (const result of prepared.values()) await result.abort().catch(() => {});
  }
  return destinations.map((destination) => ({ ...destination, ...written.get(destination) }));
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
