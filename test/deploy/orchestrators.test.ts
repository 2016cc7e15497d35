import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/errors/exit-codes.ts';
import { testWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { byNumber, codesFor, killed, readSource } from './deploy-files.ts';

const files = ['deploy/airflow/dossier_nightly.py', 'deploy/dagster/dossier_nightly.py'];

/** As much of Airflow as the snippet uses: a task runs when it is called. */
const airflow = `
import sys, types
def module(name, **parts):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(parts)
def decorator(**_): return lambda function: function
class Retried(Exception): pass
class Failed(Exception): pass
class Skipped(Exception): pass
module('airflow')
module('airflow.sdk', dag=decorator, task=decorator)
module('airflow.exceptions', AirflowException=Retried, AirflowFailException=Failed,
       AirflowSkipException=Skipped)
try:
    import dossier_nightly
    print('done')
except Exception as error:
    print(type(error).__name__.lower())
`;

/** The same of Dagster. */
const dagster = `
import sys, types, logging
class Failure(Exception):
    def __init__(self, description, metadata, allow_retries):
        self.kind = 'retried' if allow_retries else 'failed'
class Anything:
    def __init__(self, *_, **parts): vars(self).update(parts)
    def __call__(self, *_, **__): return self
    def __getattr__(self, name): return Anything()
dg = types.ModuleType('dagster')
for name in ['RetryPolicy', 'MaterializeResult', 'AssetExecutionContext', 'ScheduleDefinition', 'Definitions']:
    setattr(dg, name, Anything)
dg.MetadataValue = dg.AssetSelection = Anything()
dg.asset = lambda **_: lambda function: function
dg.Failure = Failure
sys.modules['dagster'] = dg
import dossier_nightly
try:
    dossier_nightly.company_records(types.SimpleNamespace(log=logging.getLogger()))
    print('done')
except Failure as error:
    print(error.kind)
`;

describe.each(files)('%s', (file) => {
  const text = readSource(file);
  const codes = (name: string) =>
    (new RegExp(`^${name} = \\{(.*)\\}$`, 'm').exec(text)?.[1] ?? '').split(', ').map(Number);

  test('knows every exit code, each once', () => {
    const groups = ['DONE', 'DONE_WITH_FAILED_ROWS', 'NEXT_NIGHT', 'NEEDS_A_PERSON', 'AGAIN_SOON'];
    const known = groups.flatMap(codes).sort(byNumber);
    expect(known).toEqual([...Object.keys(exitCodes).map(Number), killed].sort(byNumber));
    expect(codes('NEEDS_A_PERSON')).toEqual(codesFor('person'));
    expect(codes('AGAIN_SOON')).toEqual([...codesFor('soon'), killed].sort(byNumber));
  });

  testWhere('python3')('does with them what they ask for', () => {
    using folder = temporaryFolder();
    const isAirflow = file.includes('airflow');
    // In the place of the command stands one that ends as it is told.
    const summary = { rows: { total: 1, matched: 1, not_found: 0, failed: 0 }, folder: '/data' };
    const printed = JSON.stringify({ ...summary, calls: { made: 1, reused: 0 } });
    const command = `#!/bin/sh\necho '${isAirflow ? '' : printed}'\nexit $CODE\n`;
    writeFileSync(join(folder.path, 'dossier'), command, { mode: 0o755 });
    const outcomes = Object.fromEntries(
      [0, 3, 4, 69, 75, 77, 143].map((code) => {
        const output = execFileSync('python3', ['-c', isAirflow ? airflow : dagster], {
          env: {
            PATH: [folder.path, process.env.PATH].join(delimiter),
            HOME: process.env.HOME,
            PYTHONPATH: join(import.meta.dirname, '../..', file, '..'),
            PYTHONPYCACHEPREFIX: folder.path,
            CODE: String(code),
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        return [code, String(output).trim().split('\n').at(-1)];
      }),
    );
    expect(outcomes).toEqual({
      0: 'done',
      3: 'done',
      4: 'failed',
      69: 'retried',
      75: isAirflow ? 'skipped' : 'failed',
      77: 'failed',
      143: 'retried',
    });
  });
});
