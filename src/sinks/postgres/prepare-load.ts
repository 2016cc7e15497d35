import type { ReferenceNames } from '../../contract/reference.ts';
import { leftAsItIs } from '../left-as-it-is.ts';
import type { ManifestFacts } from '../manifest.ts';
import type { ExportOptions } from '../prepare-export.ts';
import type { ExportSummary, PreparedExport } from '../prepared-export.ts';
import type { ContractTable } from '../tables/table-contract.ts';
import type { RecordSource } from '../write-records.ts';
import { beginLoad, isOlder } from './begin-load.ts';
import { commitLoad } from './connection/commit-load.ts';
import { openWarehouse } from './connection/open-warehouse.ts';
import { placeOf, shownPlace } from './connection/warehouse-address.ts';
import { loadRecords } from './load-records.ts';
import type { MergeCounts } from './merge-table.ts';

export interface LoadOptions extends Pick<ExportOptions, 'findSame' | 'confirm' | 'signal'> {
  /** With user and password: a secret, of which only host, port and database are ever said. */
  readonly address: URL;
  readonly schema: string;
  /** What becomes of records that are in the result no longer. */
  readonly whenRemoved: 'mark' | 'delete';
  readonly facts: ManifestFacts;
  /** What the job calls the ids of people searches. */
  readonly names: ReferenceNames;
  /** Whether only the first rows of the list were asked for. */
  readonly isTry: boolean;
  /** How long to wait for another load of the job, and for other sessions that lock its tables. */
  readonly lockTimeoutMs?: number;
  /** Between the questions what came of a COMMIT that had no answer. */
  readonly askAgainMs?: number;
}

export interface LoadSummary extends ExportSummary {
  /** What was done to each table; none where the result was not loaded. */
  readonly tables: Partial<Readonly<Record<ContractTable, MergeCounts>>>;
  /** Why the result was not loaded, in a sentence; undefined where it was. */
  readonly notLoaded: string | undefined;
}

export interface PreparedLoad extends PreparedExport {
  commit(): Promise<LoadSummary>;
}

/**
 * Brings a result into PostgreSQL, all of it but the COMMIT, in one transaction. A warehouse holds what is
 * published: what is held, incomplete, a try or older than what is there is not loaded, and that is said.
 */
export async function prepareLoad(
  source: RecordSource,
  options: LoadOptions,
): Promise<PreparedLoad> {
  const { address, schema, facts, signal, confirm } = options;
  const place = shownPlace(placeOf(address, schema));
  const withheld = whyWithheld(options);
  if (withheld !== undefined) return notLoaded(place, withheld, facts);
  signal?.throwIfAborted();
  const warehouse = await openWarehouse(address, schema);
  // A statement that goes on is not waited for: PostgreSQL takes back what it did when the connection ends.
  const cutOff = () => void warehouse.close();
  signal?.addEventListener('abort', cutOff);
  const { close } = warehouse;
  try {
    const begun = await beginLoad(warehouse, options, source.records.inputColumns);
    const { loaded } = begun;
    if (loaded && isOlder(facts.run, loaded)) {
      await close();
      return notLoaded(place, `it is older than ${loaded.id}, which is there`, facts);
    }
    const { tables, counts, isSame } = await loadRecords(warehouse, source, options, begun);
    signal?.throwIfAborted();
    confirm?.();
    return {
      place,
      async commit() {
        try {
          await commitLoad(warehouse, options);
        } finally {
          await close();
        }
        const { changesSince } = facts.run;
        const noFiles = { files: [], unchanged: [], removed: [], tally: undefined };
        const said = { folder: place, changesSince, ...noFiles, notLoaded: undefined };
        return { ...said, counts, isSame, tables };
      },
      abort: close,
    };
  } catch (error) {
    await close();
    // What the end of the connection says is not why it has ended.
    signal?.throwIfAborted();
    throw error;
  } finally {
    // Who has it prepared shows it or gives it up: once other places are shown, a signal ends nothing.
    signal?.removeEventListener('abort', cutOff);
  }
}

function whyWithheld({ facts, isTry }: LoadOptions): string | undefined {
  if (isTry) return 'it is a try over the first rows of the list';
  if (facts.held !== null) return 'it is held';
  return facts.complete ? undefined : 'it is incomplete';
}

function notLoaded(place: string, why: string, facts: ManifestFacts): PreparedLoad {
  const sentence = `The result of ${facts.run.id} was not loaded, as ${why}.`;
  return {
    place,
    commit: async () => ({ ...leftAsItIs(place, facts, sentence), tables: {} }),
    abort: async () => {},
  };
}
