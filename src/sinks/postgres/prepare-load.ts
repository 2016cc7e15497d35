import { type Column, type FlatRecord, ownColumn, positionOf } from '../../records/columns.ts';
import { companiesColumns } from '../../records/flatten-row.ts';
import {
  changeColumns,
  inputColumns,
  peopleColumns,
  rejectColumns,
} from '../../records/table-columns.ts';
import { tables } from '../../records/tables.ts';
import { jsonText } from '../../runtime/json/json-text.ts';
import { openLineBuffer } from '../lines.ts';
import { Manifest, type ManifestFacts } from '../manifest.ts';
import type { ExportOptions } from '../prepare-export.ts';
import type { ExportSummary, PreparedExport, RecordSink } from '../sink.ts';
import { type ContractTable, runColumns, warehouseTables } from '../tables.ts';
import { leftAsItIs, onlyChanges, type RecordSource, writeRecords } from '../write-records.ts';
import { copyLine } from './encode-copy.ts';
import {
  commitLoad,
  openWarehouse,
  placeOf,
  shownPlace,
  type Warehouse,
} from './open-warehouse.ts';
import {
  columnLine,
  columnOf,
  type FoundTables,
  type MergePlan,
  mergeTable,
  missingStatements,
  quoteIdentifier,
  quoteTable,
  readTables,
} from './warehouse-tables.ts';

export interface LoadOptions
  extends Pick<ExportOptions, 'facts' | 'names' | 'findSame' | 'confirm' | 'signal'> {
  /** With user and password: a secret, of which only host, port and database are ever said. */
  readonly address: URL;
  readonly schema: string;
  /** Whether only the first rows of the list were asked for. */
  readonly isTry: boolean;
  /** How long to wait for another load of the job, and for other sessions that lock its tables. */
  readonly lockTimeoutMs?: number;
  /** Between the questions what came of a COMMIT that had no answer. */
  readonly askAgainMs?: number;
}

type MergeCounts = Awaited<ReturnType<typeof mergeTable>>;

export interface LoadSummary extends ExportSummary {
  /** What was done to each table; none where the result was not loaded. */
  readonly tables: Partial<Readonly<Record<ContractTable, MergeCounts>>>;
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
    const found = await beginLoad(warehouse, options);
    const missing = missingStatements(found, source.records.inputColumns, schema);
    const loaded = await readLoadedRun(warehouse, facts.job.name, found);
    if (loaded && Date.parse(facts.run.startedAt) < loaded.startedAt.getTime()) {
      await close();
      return notLoaded(place, `it is older than ${loaded.id}, which is there`, facts);
    }
    const isKnown = missing.length === 0 && loaded?.manifest && options.findSame?.(loaded.manifest);
    const last = isKnown ? loaded?.manifest : undefined;
    const summary = await loadRecords(warehouse, source, options, { found, missing, last });
    signal?.throwIfAborted();
    confirm?.();
    return {
      place,
      async commit() {
        try {
          await commitLoad(warehouse, address, options.askAgainMs);
        } finally {
          await close();
        }
        const left = leftAsItIs(place, facts.run.changesSince, '');
        return { ...left, ...summary, isSame: last !== undefined, notLoaded: undefined };
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

function notLoaded(place: string, why: string, { run }: ManifestFacts): PreparedLoad {
  const sentence = `The result of ${run.id} was not loaded, as ${why}.`;
  return {
    place,
    commit: async () => ({ ...leftAsItIs(place, run.changesSince, sentence), tables: {} }),
    abort: async () => {},
  };
}

/** Long enough for another load of the job to end, short enough to be told of one that hangs. */
const defaultLockTimeoutMs = 60_000;

/** Begins the transaction of a load, the only one of its job until it ends. */
async function beginLoad(
  warehouse: Warehouse,
  { address, schema, facts, lockTimeoutMs = defaultLockTimeoutMs }: LoadOptions,
): Promise<FoundTables> {
  const { searchParams } = address;
  const isTimed = searchParams.has('statement_timeout') || searchParams.has('options');
  // Settings hold for the transaction, so that a pool of connections does not carry them on.
  const settings = [
    'begin isolation level read committed',
    `set local lock_timeout = ${lockTimeoutMs}`,
    // Outputs elsewhere may be prepared before the COMMIT, but nobody waits for a machine that is gone.
    "set local idle_in_transaction_session_timeout = '1h'",
    // A limit for the queries of people would end a large COPY.
    ...(isTimed ? [] : ['set local statement_timeout = 0']),
    // Before PostgreSQL has counted a table it takes it for small, and would look through it for each record.
    'set local enable_nestloop = off',
    'set local standard_conforming_strings = on',
    'set local client_min_messages = warning',
  ];
  await warehouse.query('begin', settings.join(';\n'));
  // Two loads of one job would each take the other's records for removed or new.
  await warehouse.query('lock', 'select pg_advisory_xact_lock(hashtext($1), hashtext($2))', [
    `dossier ${schema}`,
    facts.job.name,
  ]);
  return await readTables(warehouse);
}

/** The run whose result the tables hold. Tables that were emptied by hand have no manifest, and are filled again. */
async function readLoadedRun({ query, place }: Warehouse, job: string, found: FoundTables) {
  if (!found?.get('runs')?.has('loaded_at') || !found.has('companies')) return undefined;
  const { rows } = await query<{
    id: string;
    startedAt: Date;
    manifest: unknown;
    isThere: boolean;
  }>(
    'read tables',
    `select run_id as id, run_started_at as "startedAt", manifest, counts_rows = 0
        or exists (select from ${quoteTable('companies', place.schema)} where job = $1) as "isThere"
      from ${quoteTable('runs', place.schema)}
      where job = $1 order by loaded_at desc nulls last limit 1`,
    [job],
  );
  const [row] = rows;
  if (!row) return undefined;
  return { ...row, manifest: row.isThere ? Manifest.safeParse(row.manifest).data : undefined };
}

/** What tells staged records of a table apart. */
const stagedKeys = {
  companies: ['row_key'],
  people: ['company_id', 'country', 'person_key'],
  changes: ['change_number'],
  runs: ['run_id', 'run_started_at'],
};

/** Copies the records of a run into staging tables, and merges them from there. `last`: the result is the same. */
async function loadRecords(
  warehouse: Warehouse,
  source: RecordSource,
  { facts, names, signal, schema }: LoadOptions,
  { found, missing, last }: { found: FoundTables; missing: string[]; last: Manifest | undefined },
) {
  const headers = source.records.inputColumns;
  const job = facts.job.name;
  const staging = openStaging(warehouse);
  /** Columns of other lists, which stay empty. */
  const inputs = inputColumns(headers).map(({ name }) => name);
  const others = (table: string) =>
    [...(found?.get(table)?.keys() ?? [])].filter(
      (name) => name.startsWith('input_') && !inputs.includes(name),
    );
  const sinks: RecordSink[] = [];
  const stage = async (table: keyof typeof stagedKeys, columns: readonly Column[]) => {
    const empty = table === 'companies' ? [...others('companies'), ...others('rejects')] : [];
    const unique = [...new Set(empty)].map((name) => ownColumn(name, 'text', ''));
    return await staging.create(table, columns, unique);
  };
  if (!last) {
    const keyOf = openPersonKeys();
    const addCompany = await stage('companies', companiesColumns(headers));
    const addPerson = await stage('people', [columnOf('people', 'person_key'), ...peopleColumns]);
    sinks.push(
      { write: ({ row }) => row && addCompany(row.cells) },
      { write: ({ person }) => person && addPerson([keyOf(person), ...person]) },
    );
  }
  const addChange = await stage('changes', [
    columnOf('changes', 'change_number'),
    ...changeColumns,
  ]);
  let changes = 0;
  sinks.push({
    write(record) {
      const change = tables.changes.record(record);
      if (!change) return undefined;
      changes += 1;
      return addChange([changes, ...change]);
    },
  });
  const written = await writeRecords(last ? onlyChanges(source) : source, sinks, names, signal);
  const counts = last ? { ...last.counts, changes: written.changes } : written;
  const manifest: Manifest = { ...facts, counts, files: [] };
  const addRun = await stage('runs', manifestColumns);
  await addRun([...runColumns.map(({ value }) => value(manifest)), jsonText(manifest)]);
  await staging.finish();

  if (missing.length > 0) {
    // Of two jobs that find no tables, the second waits, and then adds what is still missing.
    const lock = 'select pg_advisory_xact_lock(hashtext($1))';
    await warehouse.query('make tables', lock, [`dossier tables ${schema}`]);
    const still = missingStatements(await readTables(warehouse), headers, schema);
    if (still.length > 0) await warehouse.query('make tables', still.join('\n'));
  }
  const scope = { job };
  const staged = (table: keyof typeof stagedKeys) => {
    return { table, staged: stagedName(table), key: stagedKeys[table], scope };
  };
  const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name);
  const { id, startedAt } = facts.run;
  const merges: MergePlan[] = [
    {
      ...staged('companies'),
      columns: [...namesOf(companiesColumns(headers)), ...others('companies')],
    },
    {
      ...staged('companies'),
      table: 'rejects',
      staged: `(select * from ${stagedName('companies')} where status not in ('matched', 'open'))`,
      columns: [...namesOf(rejectColumns), ...inputs, ...others('rejects')],
    },
    { ...staged('people'), columns: ['person_key', ...namesOf(peopleColumns)] },
    {
      ...staged('changes'),
      scope: { job, run: id, run_started_at: startedAt },
      columns: ['change_number', ...namesOf(changeColumns).filter((name) => name !== 'run')],
    },
    { ...staged('runs'), columns: namesOf(manifestColumns), keepsOthers: true },
  ];
  const merged: Partial<Record<ContractTable, MergeCounts>> = {};
  for (const merge of merges) {
    if (last && merge.table !== 'changes' && merge.table !== 'runs') continue;
    signal?.throwIfAborted();
    merged[merge.table] = await mergeTable(warehouse, merge);
  }
  const runs = quoteTable('runs', schema);
  // Nothing is written where the run is the latest of its job already.
  await warehouse.query(
    'merge',
    `update ${runs} t set loaded_at = clock_timestamp()
      where t.job = $1 and t.run_id = $2 and t.run_started_at = $3 and (t.loaded_at is null
        or exists (select from ${runs} o where o.job = t.job and o.loaded_at > t.loaded_at))`,
    [job, id, startedAt],
  );
  return { tables: merged, counts };
}

const manifestColumns = [...runColumns, columnOf('runs', 'manifest')];

const keyPositions = ['company_id', 'country'].map((name) => positionOf(peopleColumns, name));
const personIdPosition = positionOf(peopleColumns, 'person_id');

/** `person_key` of each person. The people of a company in a country stand one after the other. */
function openPersonKeys() {
  let withoutId = 0;
  let before: FlatRecord | undefined;
  return (person: FlatRecord): string => {
    const isOfSame = keyPositions.every((position) => person[position] === before?.[position]);
    if (!isOfSame) withoutId = 0;
    before = person;
    const id = person[personIdPosition];
    if (typeof id === 'string') return id.startsWith('#') ? `#${id}` : id;
    withoutId += 1;
    return `#${withoutId}`;
  };
}

function stagedName(table: string): string {
  return `pg_temp.dossier_staged_${table}`;
}

/** Temporary tables that records are copied to. A connection takes one COPY at a time, so others wait. */
function openStaging(warehouse: Warehouse) {
  const names: (keyof typeof stagedKeys)[] = [];
  let current: { readonly table: string; end(): Promise<void> } | undefined;
  const endCopy = async () => {
    await current?.end();
    current = undefined;
  };
  const startCopy = async (table: string, columns: readonly Column[]) => {
    await endCopy();
    const list = columns.map(({ name }) => quoteIdentifier(name)).join(', ');
    const stream = warehouse.copyInto('stage', `copy ${stagedName(table)} (${list}) from stdin`);
    const lines = openLineBuffer(stream);
    const end = async () => {
      await lines.flush();
      await stream.end();
    };
    current = { table, end };
    return lines;
  };
  return {
    /** Gives the function that adds a record; `empty` are columns that none of them has. */
    async create(
      table: keyof typeof stagedKeys,
      columns: readonly Column[],
      empty: readonly Column[],
    ) {
      await endCopy();
      names.push(table);
      // Records are read once or twice here, so that compressing the large ones does not pay.
      const text = `create temporary table dossier_staged_${table}
        (${[...columns, ...empty].map(columnLine).join(', ')})
        with (toast_tuple_target = 8160) on commit drop`;
      await warehouse.query('stage', text);
      const toLine = copyLine(columns);
      let lines: Awaited<ReturnType<typeof startCopy>> | undefined;
      return async (record: FlatRecord) => {
        if (!lines || current?.table !== table) lines = await startCopy(table, columns);
        await lines.add(toLine(record));
      };
    },
    /** Lets PostgreSQL see how many records there are, by which it plans the merge. */
    async finish() {
      await endCopy();
      for (const table of names) {
        const columns = stagedKeys[table].map(quoteIdentifier).join(', ');
        await warehouse.query('stage', `analyze ${stagedName(table)} (${columns})`);
      }
    },
  };
}

/** Does all that a load does but for the records, and takes it back; throws where a load would fail. */
export async function tryLoad(address: URL, schema: string): Promise<string> {
  const warehouse = await openWarehouse(address, schema);
  try {
    await warehouse.query('begin', "begin; set local lock_timeout = '5s'");
    await warehouse.query('stage', 'create temporary table dossier_check ()');
    const missing = missingStatements(await readTables(warehouse), [], schema);
    if (missing.length > 0) await warehouse.query('make tables', missing.join('\n'));
    const statements = Object.keys(warehouseTables).flatMap((name) => {
      const table = quoteTable(name, schema);
      return [
        `insert into ${table} select * from ${table} where false`,
        `update ${table} set job = job where false`,
        `delete from ${table} where false`,
      ];
    });
    await warehouse.query('merge', statements.join('; '));
    return shownPlace(placeOf(address, schema));
  } finally {
    // Without a COMMIT nothing of it has happened.
    await warehouse.close();
  }
}
