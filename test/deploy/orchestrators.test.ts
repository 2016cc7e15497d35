import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { schemaVersion } from '../../src/core/columns/columns.ts';
import { exitCodes } from '../../src/core/errors/exit-codes.ts';
import { ManifestFile } from '../../src/results/manifest.ts';
import { RunEnd } from '../../src/run/run-schemas.ts';
import { testWhere } from '../support/needs.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { byNumber, codesFor, killed, readSource } from './deploy-files.ts';

const files = ['deploy/airflow/dossier_nightly.py', 'deploy/dagster/dossier_nightly.py'];

/** Goes through all cases in one process, and tells of each what came out. */
const goThrough = `
import sys, types, os, json, logging, collections
from datetime import datetime
def go_through(try_it):
    for case in json.loads(os.environ['CASES']):
        os.environ['CODE'] = str(case['code'])
        outcome, told = try_it(datetime.fromisoformat(case['day']))
        print(json.dumps({'outcome': outcome, 'told': told}))
`;

/** As much of Airflow as the snippet uses: a task runs when it is called, and a DAG when it is loaded. */
const airflow = `${goThrough}
def module(name, **parts):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(parts)
def dag(**_): return lambda function: function
context = {}
def task(outlets, **_): return lambda function: lambda: function(**context)
class Retried(Exception): pass
class Failed(Exception): pass
class Skipped(Exception): pass
module('airflow')
class Variable:
    kept = {}
    get = staticmethod(lambda key, default: Variable.kept.get(key, default))
    set = staticmethod(lambda key, value: Variable.kept.update({key: str(value)}))
module('airflow.sdk', Asset=lambda uri: uri, Variable=Variable, dag=dag, task=task)
module('airflow.exceptions', AirflowException=Retried, AirflowFailException=Failed,
       AirflowSkipException=Skipped)
def try_it(day):
    events = collections.defaultdict(types.SimpleNamespace)
    context.update(outlet_events=events, data_interval_end=day)
    sys.modules.pop('dossier_nightly', None)
    try:
        import dossier_nightly
        return 'done', {uri.rsplit('/', 1)[1]: event.extra for uri, event in events.items()}
    except Exception as error:
        return type(error).__name__.lower(), None
go_through(try_it)
`;

/** The same of Dagster. */
const dagster = `${goThrough}
class Failure(Exception):
    def __init__(self, description, metadata, allow_retries):
        self.kind = 'retried' if allow_retries else 'failed'
class Anything:
    def __init__(self, *_, **parts): vars(self).update(parts)
    def __call__(self, *_, **__): return self
    def __getattr__(self, name): return Anything()
dg = types.ModuleType('dagster')
for name in ['RetryPolicy', 'AssetExecutionContext', 'ScheduleEvaluationContext', 'Definitions',
             'DailyPartitionsDefinition']:
    setattr(dg, name, Anything)
for name in ['MaterializeResult', 'RunRequest']: setattr(dg, name, types.SimpleNamespace)
dg.AssetSelection = Anything()
dg.AssetSpec = lambda key, skippable: key
dg.DataVersion = str
dg.schedule = dg.multi_asset = lambda **_: lambda function: function
dg.Failure = Failure
sys.modules['dagster'] = dg
import dossier_nightly
def try_it(day):
    request = dossier_nightly.nightly(types.SimpleNamespace(scheduled_execution_time=day))
    context = types.SimpleNamespace(log=logging.getLogger(), partition_key=request.partition_key)
    try:
        made = list(dossier_nightly.dossier_tables(context))
        return 'done', {one.asset_key[-1]: {**one.metadata, 'version': one.data_version} for one in made}
    except Failure as error:
        return error.kind, None
go_through(try_it)
`;

/** In the place of the command stands one that tells of a run without people, and ends as it is told. */
const summary = {
  run: 'r7',
  folder: 's3://acme/out/date=2026-11-16/run=r7',
  rows: { total: 2, matched: 1, not_found: 1, failed: 0 },
  calls: { made: 1, reused: 0 },
  files: ['companies', 'rejects', 'changes'].flatMap((table) =>
    ['parquet', 'jsonl'].map((format) => ({
      name: `${table}.${format}`,
      table,
      format,
      rows: table.length,
      bytes: 1,
      sha256: `hash of ${table}.${format}`,
    })),
  ),
  unchanged: ['rejects.parquet', 'rejects.jsonl', 'changes.jsonl'],
};
const command = `#!/bin/sh
if [ $1 = schema ]; then echo '{"$id":"urn:dossier:companies:1.4"}'; exit; fi
echo started >> "$STARTS"
echo '${JSON.stringify(summary)}'
exit $CODE
`;

interface Case {
  readonly code: number;
  readonly day?: Date;
}

/** Runs the snippet on days, against a command that ends with codes. */
function runSnippet(file: string, cases: readonly Case[]) {
  using folder = temporaryFolder();
  const starts = join(folder.path, 'starts');
  writeFileSync(starts, '');
  writeFileSync(join(folder.path, 'dossier'), command, { mode: 0o755 });
  const iso = (day: Date) => day.toISOString().replace('Z', '+00:00');
  const given = cases.map(({ code, day = new Date() }) => ({ code, day: iso(day) }));
  const script = file.includes('airflow') ? airflow : dagster;
  const output = execFileSync('python3', ['-c', script], {
    env: {
      PATH: [folder.path, process.env.PATH].join(delimiter),
      HOME: process.env.HOME,
      PYTHONPATH: join(import.meta.dirname, '../..', file, '..'),
      PYTHONPYCACHEPREFIX: folder.path,
      CASES: JSON.stringify(given),
      STARTS: starts,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const results = String(output)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { outcome: string; told: Record<string, Told> | null });
  return { results, starts: readFileSync(starts, 'utf8').split('started').length - 1 };
}

/** What is told of a table. */
type Told = Readonly<Record<string, unknown>>;

describe.each(files)('%s', (file) => {
  const text = readSource(file);
  const isAirflow = file.includes('airflow');
  const codes = (name: string) =>
    (new RegExp(`^${name} = \\{(.*)\\}$`, 'm').exec(text)?.[1] ?? '').split(', ').map(Number);

  test('knows every exit code, each once', () => {
    const groups = ['DONE', 'DONE_WITH_FAILED_ROWS', 'NEXT_NIGHT', 'NEEDS_A_PERSON', 'AGAIN_SOON'];
    const known = groups.flatMap(codes).sort(byNumber);
    expect(known).toEqual([...Object.keys(exitCodes).map(Number), killed].sort(byNumber));
    expect(codes('NEEDS_A_PERSON')).toEqual(codesFor('person'));
    expect(codes('AGAIN_SOON')).toEqual([...codesFor('soon'), killed].sort(byNumber));
  });

  testWhere('python3')('reacts to each exit code as documented, only on its own day', () => {
    const tried = [0, 3, 4, 69, 75, 77, 143];
    // A backfill would pay for today's answers and call them old ones: the command is not started.
    const past = { code: 0, day: new Date(Date.now() - 48 * 3_600_000) };
    const { results, starts } = runSnippet(file, [...tried.map((code) => ({ code })), past]);
    const outcomes = results.map(({ outcome }) => outcome);
    const atNight = isAirflow ? 'skipped' : 'failed';
    expect(outcomes).toEqual([
      'done',
      'done',
      'failed',
      'retried',
      atNight,
      'failed',
      'retried',
      isAirflow ? 'skipped' : 'failed',
    ]);
    expect(starts).toBe(tried.length);
    const told = results[0]?.told ?? {};
    expect(Object.keys(told)).toEqual(['companies', 'rejects', 'changes']);
    for (const [table, facts] of Object.entries(told)) {
      expect(facts).toMatchObject({
        run: 'r7',
        schema_version: '1.4',
        folder: summary.folder,
        sha256: { [`${table}.parquet`]: `hash of ${table}.parquet` },
        [isAirflow ? 'rows' : 'dagster/row_count']: table.length,
      });
    }
  });

  testWhere('python3')('is not green for ever where every night stops on purpose', () => {
    const nights = [75, 75, 0, 75, 75, 75, 75, 0, 75].map((code) => ({ code }));
    const outcomes = runSnippet(file, nights).results.map(({ outcome }) => outcome);
    const [early, late] = isAirflow ? ['skipped', 'failed'] : ['failed', 'failed'];
    expect(outcomes).toEqual([early, early, 'done', early, early, late, late, 'done', early]);
  });
});

test('they read only fields that Dossier prints', async () => {
  // `run --json` has these fields, and the schema of a table its version behind the last colon.
  const file = z.toJSONSchema(ManifestFile, { io: 'output' });
  expect(Object.keys(file.properties ?? {})).toEqual(
    expect.arrayContaining(Object.keys(summary.files.at(-1) ?? {})),
  );
  expect(Object.keys(RunEnd.shape)).toEqual(expect.arrayContaining(Object.keys(summary)));
  const { stdout } = await runDossier(['schema', '--table', 'companies', '--as', 'json']);
  expect(JSON.parse(stdout).$id).toBe(`urn:dossier:companies:${schemaVersion}`);
});
