import {
  type Column,
  type FlatRecord,
  ownColumn,
  positionOf,
} from '../../../core/columns/columns.ts';
import { addChange } from '../../../core/columns/compare-records.ts';
import { inputColumns, peopleColumns } from '../../../core/columns/table-columns.ts';
import { tables } from '../../../core/columns/tables.ts';
import { jsonText } from '../../../core/values/json-text.ts';
import { noChanges } from '../../compare-runs.ts';
import { createLineBuffer } from '../../lines.ts';
import { Manifest, type ManifestHead } from '../../manifest.ts';
import {
  laterThere,
  onlyChanges,
  type PreparedExport,
  type RecordSink,
  type RecordSource,
  withSameRecords,
  writeRecords,
} from '../../sink.ts';
import { allTables, type ContractTable, runColumns, warehouseTables } from '../../tables.ts';
import type { WriteOptions } from '../destination.ts';
import { copyLine } from './encode-copy.ts';
import {
  commitLoad,
  openWarehouse,
  shownWarehouse,
  type Warehouse,
  warehouseAddress,
} from './open-warehouse.ts';
import {
  columnLine,
  type FoundTables,
  mergeTable,
  quoteTable,
  readTables,
  stagedColumns,
  tableStatements,
} from './warehouse-tables.ts';

export interface LoadOptions
  extends Pick<
    WriteOptions,
    'facts' | 'reference' | 'findSame' | 'catchUp' | 'isLater' | 'ifLater' | 'confirm' | 'signal'
  > {
  /** Secret: has user and password. */
  readonly address: URL;
  readonly schema: string;
  readonly lockTimeoutMs?: number;
}

/** Does everything but the COMMIT, in one transaction. */
export async function prepareLoad(ofRun: RecordSource, options: LoadOptions) {
  const { address, schema, facts, signal, confirm } = options;
  const shown = shownWarehouse(warehouseAddress(address, schema));
  signal?.throwIfAborted();
  const warehouse = await openWarehouse(address, schema);
  const cutOff = () => void warehouse.close();
  signal?.addEventListener('abort', cutOff);
  const { close } = warehouse;
  try {
    const found = await beginLoad(warehouse, options);
    const inputs = allInputs(found, ofRun.records.inputColumns);
    const missing = tableStatements(allTables, inputs, schema, found);
    const received = await readReceivedRuns(warehouse, facts.job, found);
    const [loaded] = received;
    const later = loaded && options.isLater(loaded) ? loaded : undefined;
    if (later && options.ifLater !== 'replace') throw laterThere(facts, shown, later);
    const source = { ...ofRun, ...(loaded && options.catchUp?.(received)) };
    const isKnown = missing.length === 0 && loaded?.manifest && options.findSame?.(loaded.manifest);
    const last = isKnown ? loaded?.manifest : undefined;
    const result = await stageRecords(warehouse, source, options, inputs, last);
    if (missing.length > 0) {
      // If two jobs find no tables, the second waits until the first has created them.
      const lock = 'select pg_advisory_xact_lock(hashtext($1))';
      await warehouse.query('make tables', lock, [`dossier tables ${schema}`]);
      const still = tableStatements(allTables, inputs, schema, await readTables(warehouse));
      if (still.length > 0) await warehouse.query('make tables', still.join('\n'));
    }
    if (options.ifLater === 'replace') await removeLater(warehouse, options);
    await mergeTables(warehouse, options, inputs, found, last !== undefined, source.runs);
    signal?.throwIfAborted();
    confirm?.();
    return {
      async commit() {
        await commitLoad(warehouse).finally(close);
        const isSame = last !== undefined;
        const none = { files: [], unchanged: [], tally: undefined };
        return { folder: shown, ...result, ...none, isSame, replaced: later };
      },
      abort: close,
    } satisfies PreparedExport;
  } catch (error) {
    await close();
    // Reports the abort reason, not the connection error it caused.
    signal?.throwIfAborted();
    throw error;
  } finally {
    // Other destinations may already be published, so from here on an abort must not stop this one.
    signal?.removeEventListener('abort', cutOff);
  }
}

function allInputs(found: FoundTables, headers: readonly string[]) {
  const inputs = inputColumns(headers);
  const there = ['companies', 'rejects'].flatMap((table) => [...(found?.get(table)?.keys() ?? [])]);
  const others = new Set(there.filter((name) => name.startsWith('input_')));
  for (const { name } of inputs) others.delete(name);
  return [...inputs, ...[...others].map((name) => ownColumn(name, 'text', ''))];
}

/** Lets another load finish, but reports one that hangs. */
const defaultLockTimeoutMs = 60_000;

async function beginLoad(
  warehouse: Warehouse,
  { address, schema, facts, lockTimeoutMs = defaultLockTimeoutMs }: LoadOptions,
) {
  const { searchParams } = address;
  const isTimed = searchParams.has('statement_timeout') || searchParams.has('options');
  // `set local`, because a connection pool would pass session settings on to the next user.
  const settings = [
    'begin isolation level read committed',
    `set local lock_timeout = ${lockTimeoutMs}`,
    // A machine that vanished must not block other sessions for longer.
    "set local idle_in_transaction_session_timeout = '1h'",
    // A server-wide limit for user queries would end a large COPY.
    ...(isTimed ? [] : ['set local statement_timeout = 0']),
    // Forces hash joins: without statistics PostgreSQL would scan a table for every record.
    'set local enable_nestloop = off',
    'set local standard_conforming_strings = on',
    'set local client_min_messages = warning',
  ];
  await warehouse.query('begin', settings.join(';\n'));
  // Two loads of one job would delete each other's records, so the second waits.
  await warehouse.query('lock', 'select pg_advisory_xact_lock(hashtext($1), hashtext($2))', [
    `dossier ${schema}`,
    facts.job,
  ]);
  return await readTables(warehouse);
}

/**
 * The last loaded run first. Only this one has a `manifest`, unless the tables were emptied by hand,
 * so they are filled again.
 */
export async function readReceivedRuns(
  { query, target }: Warehouse,
  job: string,
  found: FoundTables,
) {
  if (!found?.get('runs')?.has('loaded_at') || !found.has('companies')) return [];
  const { rows } = await query<LoadedRun & { manifest: unknown }>(
    'read tables',
    `select run_id as run, run_started_at as "startedAt",
        case when loaded_at = max(loaded_at) over () and (counts_rows = 0
          or exists (select from ${quoteTable('companies', target.schema)} where job = $1))
          then manifest end as manifest,
        ${found.get('runs')?.has('ledger_id') ? 'ledger_id' : 'null'} as "ledgerId"
      from ${quoteTable('runs', target.schema)}
      where job = $1 order by loaded_at desc nulls last`,
    [job],
  );
  return rows.map((row) => ({
    ...receivedRun(row),
    manifest: Manifest.safeParse(row.manifest).data,
  }));
}

async function stageRecords(
  warehouse: Warehouse,
  source: RecordSource,
  { facts, reference, signal }: LoadOptions,
  inputs: readonly Column[],
  last: Manifest | undefined,
) {
  const job = facts.job;
  const { hasServices = false } = source.records;
  const { add, finish } = await openStaging(warehouse, inputs);
  const keyOf = createPersonKeys();
  const covered = new Map(
    source.runs?.map((one) => [one.facts.run, { ...one, counts: noChanges() }]),
  );
  const changes = new Map<string, number>();
  const sink: RecordSink = {
    write(record) {
      const { row, person, service } = record;
      if (row) {
        const { service = null, tried = null } = hasServices ? row.row : {};
        return add('companies', [job, service, tried, ...row.cells]);
      }
      if (person) {
        const own = hasServices ? (service ?? null) : null;
        return add('people', [job, keyOf(person, service), own, ...person]);
      }
      const run = record.change?.run ?? facts.run;
      const number = (changes.get(run) ?? 0) + 1;
      changes.set(run, number);
      const night = covered.get(run);
      if (night && record.change) addChange(night.counts, record.change.op);
      const change = tables.changes.record(record) ?? [];
      return add('changes', [job, number, ...change, (night?.facts ?? facts).startedAt]);
    },
  };
  const written = await writeRecords(
    last ? onlyChanges(source) : source,
    [sink],
    reference,
    signal,
  );
  const result = last ? withSameRecords(written, last) : written;
  const addRun = (manifest: Manifest) =>
    add('runs', [job, ...runColumns.map(({ value }) => value(manifest)), jsonText(manifest)]);
  const { [facts.run]: own, ...missed } = Object.fromEntries(covered);
  for (const { facts: head, since, counts } of Object.values(missed)) {
    const gap = since === null && { missing: [head.run] };
    await addRun({ ...head, changes: { since, ...gap, ...counts }, files: [] });
  }
  const ownChanges = own && { ...result.changes, since: own.since, ...own.counts };
  await addRun({ ...facts, ...result, ...(ownChanges && { changes: ownChanges }), files: [] });
  await finish();
  return result;
}

type Merge = [ContractTable, source: string, scope: Record<string, string>];

/** `run` is a name that we made, such as `r7`, so it needs no quoting. */
function changesOf({ job, run, startedAt }: ManifestHead): Merge {
  const ofRun = `(select * from ${stagedName('changes')} where run = '${run}')`;
  return ['changes', ofRun, { job, run, run_started_at: startedAt }];
}

/** With later changes, the tables of changes and companies would disagree. */
async function removeLater({ query, target }: Warehouse, { facts: { job }, isLater }: LoadOptions) {
  const [changes, runs] = [quoteTable('changes', target.schema), quoteTable('runs', target.schema)];
  const { rows } = await query<LoadedRun>(
    'merge',
    `select run_id as run, run_started_at as "startedAt", ledger_id as "ledgerId"
      from ${runs} where job = $1
      union select run, run_started_at, null from ${changes} where job = $1`,
    [job],
  );
  for (const there of rows.map(receivedRun).filter(isLater)) {
    for (const table of [`${changes} where run`, `${runs} where run_id`]) {
      const text = `delete from ${table} = $2 and run_started_at = $3 and job = $1`;
      await query('merge', text, [job, there.run, there.startedAt]);
    }
  }
}

interface LoadedRun {
  readonly run: string;
  readonly startedAt: Date;
  readonly ledgerId: string | null;
}

function receivedRun({ run, startedAt, ledgerId }: LoadedRun) {
  return { run, startedAt: startedAt.toISOString(), ledgerId: ledgerId ?? undefined };
}

async function mergeTables(
  warehouse: Warehouse,
  { facts, signal, schema }: LoadOptions,
  inputs: readonly Column[],
  found: FoundTables,
  isSame: boolean,
  runs: RecordSource['runs'] = [],
) {
  const { job, run, startedAt } = facts;
  const companies = stagedName('companies');
  const rejects = `(select * from ${companies} where status not in ('matched', 'open'))`;
  const records: Merge[] = [
    ['companies', companies, { job }],
    ['rejects', rejects, { job }],
    ['people', stagedName('people'), { job }],
  ];
  const merges: Merge[] = [
    ...(isSame ? [] : records),
    ...runs.filter((night) => night.facts.run !== run).map((night) => changesOf(night.facts)),
    changesOf(facts),
    ['runs', stagedName('runs'), { job }],
  ];
  for (const [name, source, scope] of merges) {
    signal?.throwIfAborted();
    await mergeTable(warehouse, name, source, inputs, scope, found);
  }
  const table = quoteTable('runs', schema);
  await warehouse.query(
    'merge',
    `update ${table} t set loaded_at = greatest(clock_timestamp(), (
        select max(o.loaded_at) + interval '1 microsecond' from ${table} o where o.job = t.job))
      where t.job = $1 and t.run_id = $2 and t.run_started_at = $3 and (t.loaded_at is null
        or exists (select from ${table} o where o.job = t.job and o.loaded_at > t.loaded_at))`,
    [job, run, startedAt],
  );
}

const keyPositions = ['company_id', 'country'].map((name) => positionOf(peopleColumns, name));
const personIdPosition = positionOf(peopleColumns, 'person_id');

/** Expects all people of a company and country one after the other. */
function createPersonKeys() {
  let withoutId = 0;
  let before: { person: FlatRecord; service: string | null | undefined } | undefined;
  return (person: FlatRecord, service: string | null | undefined): string => {
    const isOfSame =
      before?.service === service &&
      keyPositions.every((position) => person[position] === before?.person[position]);
    if (!isOfSame) withoutId = 0;
    before = { person, service };
    const id = person[personIdPosition];
    if (typeof id !== 'string') withoutId += 1;
    const key = typeof id === 'string' ? id.replace(/^#/, '##') : `#${withoutId}`;
    // Two services may give one id to different companies.
    return service ? `${service}: ${key}` : key;
  };
}

function stagedName(table: string) {
  return `pg_temp.dossier_staged_${table}`;
}

/** A connection allows only one COPY at a time, so a record of another table starts a new COPY. */
async function openStaging(warehouse: Warehouse, inputs: readonly Column[]) {
  const stagedTables = allTables.filter((table) => table !== 'rejects');
  // Staged records are read only once or twice, so `toast_tuple_target` avoids compressing them.
  const statements = stagedTables.map(
    (table) => `create temporary table dossier_staged_${table}
      (${stagedColumns(table, inputs).map(columnLine).join(', ')})
      with (toast_tuple_target = 8160) on commit drop`,
  );
  await warehouse.query('stage', statements.join(';\n'));
  let current: Awaited<ReturnType<typeof startCopy>> | undefined;
  const endCopy = async () => {
    await current?.lines.flush();
    await current?.stream.end();
    current = undefined;
  };
  const startCopy = async (table: ContractTable) => {
    await endCopy();
    const stream = warehouse.copyInto('stage', `copy ${stagedName(table)} from stdin`);
    const toLine = copyLine(stagedColumns(table, inputs));
    return { table, stream, toLine, lines: createLineBuffer(stream) };
  };
  return {
    async add(table: ContractTable, record: FlatRecord) {
      if (current?.table !== table) current = await startCopy(table);
      await current.lines.add(current.toLine(record));
    },
    /** PostgreSQL needs statistics of the staged tables to plan the merge. */
    async finish() {
      await endCopy();
      for (const table of stagedTables) {
        const key = warehouseTables[table].key.join(', ');
        await warehouse.query('stage', `analyze ${stagedName(table)} (${key})`);
      }
    },
  };
}

export async function tryLoad(address: URL, schema: string): Promise<string> {
  await using warehouse = await openWarehouse(address, schema);
  await warehouse.query('begin', "begin; set local lock_timeout = '5s'");
  await warehouse.query('stage', 'create temporary table dossier_check ()');
  const missing = tableStatements(allTables, [], schema, await readTables(warehouse));
  if (missing.length > 0) await warehouse.query('make tables', missing.join('\n'));
  const statements = allTables.flatMap((name) => {
    const table = quoteTable(name, schema);
    return [
      `insert into ${table} select * from ${table} where false`,
      `update ${table} set job = job where false`,
      `delete from ${table} where false`,
    ];
  });
  await warehouse.query('merge', statements.join('; '));
  return shownWarehouse(warehouseAddress(address, schema));
}
