import { formFingerprint } from '../../job/job-fingerprint.ts';
import {
  type FilesPlace,
  placesOf,
  type ResolvedDatabase,
  type ResolvedPlace,
} from '../../job/places/resolved-place.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { findSameResult } from '../../queue/published/same-result.ts';
import type { SameTally } from '../../sinks/files/same-files.ts';
import type { Manifest } from '../../sinks/manifest.ts';
import { placeOf, shownPlace } from '../../sinks/postgres/connection/warehouse-address.ts';
import { type ExportParts, preparePlace } from '../../sinks/prepare-place.ts';
import type { RecordSource } from '../../sinks/write-records.ts';
import type { OutputParts } from '../write-outputs.ts';
import { manifestFacts } from './manifest-facts.ts';
import { folderOfRun, placeOfResult } from './place-of-result.ts';
import type { PlaceToWrite } from './write-places.ts';

type Ledger = Parameters<typeof manifestFacts>[0];
type Run = Parameters<typeof manifestFacts>[1];

/** What is told of a run whose result is written. */
interface ToldRun extends Omit<OutputParts, 'thread' | 'isReadOnly'> {
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
  const all = placesOf(job);
  const shown = all.find(({ kind }) => kind === 'folder');
  return all.map((place) => {
    const parts = partsOf(ledger, job, run, { ...told, place, isShown: place === shown });
    return place.kind === 'postgres'
      ? databaseToWrite(place, told, parts)
      : filesToWrite(place, run, told, parts);
  });
}

function filesToWrite(
  place: FilesPlace,
  run: Run,
  { ended, openSource }: ToldRun,
  parts: ExportParts,
): PlaceToWrite {
  return {
    kind: place.kind,
    address: folderOfRun(place.path, { ...run, rowLimit: null }),
    // What may be wrong is kept where people look at it, and loaded by nobody.
    ...(place.kind === 's3' && run.held && { leftOut: 'The result is held until it is accepted.' }),
    async prepare() {
      if (place.kind === 's3') return await preparePlace(openSource(), place, parts);
      const path = await placeOfResult(place, run, { isComplete: ended !== null });
      return await preparePlace(openSource(), { ...place, path }, parts);
    },
  };
}

function databaseToWrite(
  { address: secret, ...place }: ResolvedDatabase & { readonly kind: 'postgres' },
  { openSource }: ToldRun,
  parts: ExportParts,
): PlaceToWrite {
  const address = secret.reveal(process.env);
  const { kind, schema } = place;
  if (!address) {
    const leftOut = 'The variable with its address is empty.';
    return { kind, address: `PostgreSQL, schema ${schema}`, leftOut };
  }
  return {
    kind,
    address: shownPlace(placeOf(address, schema)),
    prepare: () => preparePlace(openSource(), { ...place, address }, parts),
  };
}

function partsOf(
  ledger: Ledger,
  job: ResolvedJob,
  run: Run,
  told: ToldRun & { readonly place: ResolvedPlace; readonly isShown: boolean },
): ExportParts {
  const { version, ended, base, place, isShown, openReport, mayLeave = false, stopped } = told;
  const { reference: names } = job;
  const form = formFingerprint(place.kind === 'postgres' ? undefined : place, job, version);
  const facts = manifestFacts(ledger, run, { version, form, endedAt: ended, base });
  return {
    ...{ facts, names, signal: told.signal, confirm: told.confirm, ledger: job.ledger },
    ...{ startedAt: new Date(run.lastStartedAt), isTry: run.rowLimit !== null },
    openReport:
      openReport &&
      ((folder) => openReport({ folder, isShown, ledger, run, facts, names, stopped })),
    findSame(last: Manifest) {
      const isLike = last.complete && last.form === form && last.job.name === run.job;
      if (!mayLeave || !facts.complete || !isLike) return undefined;
      return findSameResult(ledger, run, last.run) as SameTally | undefined;
    },
  };
}
