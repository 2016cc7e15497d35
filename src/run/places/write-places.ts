import { DossierError } from '../../errors.ts';
import { formFingerprint } from '../../job/job-fingerprint.ts';
import { placesOf, type ResolvedPlace } from '../../job/places/resolve-places.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { findSameResult } from '../../queue/published/same-result.ts';
import { placeOf, shownPlace } from '../../sinks/postgres/connection/warehouse-address.ts';
import type { SameTally } from '../../sinks/prepare-export.ts';
import { type ExportParts, preparePlace } from '../../sinks/prepare-place.ts';
import type { ExportSummary, PreparedExport } from '../../sinks/sink.ts';
import type { RecordSource } from '../../sinks/write-records.ts';
import type { OutputParts } from '../write-outputs.ts';
import { manifestFacts } from './manifest-facts.ts';
import { folderOfRun, placeOfResult } from './result-places.ts';

/** What has become of a result in one of its places. */
export interface WrittenPlace {
  readonly kind: ResolvedPlace['kind'];
  /** A folder or an address, as people may see it. */
  readonly address: string;
  /** What was written; absent where nothing was. */
  readonly summary?: ExportSummary;
  /** Why it could not be written. */
  readonly failed?: DossierError;
  /** Why nothing was to be written there. */
  readonly leftOut?: string;
}

/** A place that a result is to be written to. */
export interface PlaceToWrite extends Pick<WrittenPlace, 'kind' | 'address' | 'leftOut'> {
  /** Absent where it is left out. */
  prepare?(): Promise<PreparedExport>;
}

type Ledger = Parameters<typeof manifestFacts>[0];
type Run = Parameters<typeof manifestFacts>[1];

/** What is told of a run whose result is written. */
interface ToldRun extends Omit<OutputParts, 'isReadOnly'> {
  /** When it ended; null where it has not. */
  readonly ended: number | null;
  /** The run that it is compared with. */
  readonly base: Run | undefined;
  readonly openSource: () => RecordSource;
  readonly confirm: () => void;
}

/** The places of a job, each with what it needs to be written. */
export function placesToWrite(
  ledger: Ledger,
  job: ResolvedJob,
  run: Run,
  told: ToldRun,
): PlaceToWrite[] {
  const { version, ended, base, openReport, mayLeave = false, stopped, openSource } = told;
  const { signal, confirm } = told;
  const { reference: names } = job;
  const all = placesOf(job);
  const shown = all.find(({ kind }) => kind === 'folder');
  return all.map((place): PlaceToWrite => {
    const { kind } = place;
    const form = formFingerprint(place.kind === 'postgres' ? undefined : place, job, version);
    const facts = manifestFacts(ledger, run, { version, form, endedAt: ended, base });
    const isShown = place === shown;
    const parts: ExportParts = {
      facts,
      names,
      signal,
      confirm,
      ledger: job.ledger,
      startedAt: new Date(run.lastStartedAt),
      isTry: run.rowLimit !== null,
      openReport:
        openReport &&
        ((folder) => openReport({ folder, isShown, ledger, run, facts, names, stopped })),
      findSame(last) {
        const isLike = last.complete && last.form === form && last.job.name === run.job;
        if (!mayLeave || !facts.complete || !isLike) return undefined;
        return findSameResult(ledger, run, last.run) as SameTally | undefined;
      },
    };
    if (place.kind === 'postgres') {
      const address = place.address.reveal(process.env);
      if (!address) {
        const leftOut = 'The variable with its address is empty.';
        return { kind, address: `PostgreSQL, schema ${place.schema}`, leftOut };
      }
      const prepare = () => preparePlace(openSource(), { ...place, address }, parts);
      return { kind, address: shownPlace(placeOf(address, place.schema)), prepare };
    }
    const address = folderOfRun(place.path, { ...run, rowLimit: null });
    // What may be wrong is kept where people look at it, and loaded by nobody.
    if (place.kind === 's3' && run.held) {
      return { kind, address, leftOut: 'The result is held until it is accepted.' };
    }
    const prepare = async () => {
      if (place.kind === 's3') return await preparePlace(openSource(), place, parts);
      const path = await placeOfResult(place, run, ended !== null);
      return await preparePlace(openSource(), { ...place, path }, parts);
    };
    return { kind, address, prepare };
  });
}

/**
 * Writes a result to all its places. Everything is prepared before the first is shown, folders before the others: what
 * fails in a folder fails as a whole. A place elsewhere that cannot be reached is left out, and undoes nothing.
 */
export async function writePlaces(
  places: readonly PlaceToWrite[],
  signal?: AbortSignal,
): Promise<WrittenPlace[]> {
  const written = new Map<PlaceToWrite, WrittenPlace>();
  const prepared = new Map<PlaceToWrite, PreparedExport>();
  /** By kind; those of one kind as the job has them. */
  const inOrder = (...kinds: PlaceToWrite['kind'][]) =>
    kinds.flatMap((kind) => places.filter((place) => place.kind === kind));
  /** A signal is no trouble of a place: it ends the writing, as long as nothing is shown. */
  const tolerate = async (place: PlaceToWrite, step: () => Promise<unknown>) => {
    try {
      await step();
    } catch (error) {
      const { kind, address } = place;
      if (kind === 'folder' || !(error instanceof DossierError)) throw error;
      if (signal?.aborted && error === signal.reason) throw error;
      written.set(place, { kind, address, failed: error });
    }
  };
  try {
    for (const place of inOrder('folder', 's3', 'postgres')) {
      const { prepare } = place;
      if (prepare) await tolerate(place, async () => prepared.set(place, await prepare()));
    }
    signal?.throwIfAborted();
    // Until its COMMIT a database may keep its readers waiting: no store is waited for in between.
    for (const place of inOrder('folder', 'postgres', 's3')) {
      const result = prepared.get(place);
      prepared.delete(place);
      await tolerate(place, async () => {
        const summary = await result?.commit();
        if (!summary) return;
        const { kind } = place;
        const { folder: address, notLoaded: leftOut } = summary;
        written.set(place, {
          kind,
          address,
          ...(leftOut === undefined ? { summary } : { leftOut }),
        });
      });
    }
  } finally {
    // What could not be taken back is swept by the next that writes there.
    for (const result of prepared.values()) await result.abort().catch(() => {});
  }
  return places.map((place) => {
    const { kind, address, leftOut = '' } = place;
    return written.get(place) ?? { kind, address, leftOut };
  });
}

/** The folders that were written. */
export function foldersIn({ places }: { readonly places: readonly WrittenPlace[] }): string[] {
  return places.flatMap(({ kind, summary }) =>
    kind === 'folder' && summary ? [summary.folder] : [],
  );
}

/** Places elsewhere that could not be written, as one error; undefined where all were. */
export function unreachedError(places: readonly WrittenPlace[]): DossierError | undefined {
  const errors = places.flatMap(({ address, failed }) => (failed ? [{ address, failed }] : []));
  if (errors.length === 0) return undefined;
  // Messages of a store or database say already where it is.
  const reasons = errors.map(({ address, failed: { message } }) =>
    /^(?:s3:\/\/|PostgreSQL at )/.test(message) ? message : `${address}: ${message}`,
  );
  return new DossierError(
    'OUTPUT_UNREACHED',
    `the result is in the ledger, but not in all its places: ${reasons.join('; ')}`,
    { cause: errors[0]?.failed },
  );
}
