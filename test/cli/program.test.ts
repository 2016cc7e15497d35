import { expect, test } from 'vitest';
import { RunEnd } from '../../src/run/run-schemas.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a command in the same process knows nothing of the one before', async () => {
  using folder = temporaryFolder();
  const run = async (env: Record<string, string>) => {
    const args = ['run', 'no-such-list.csv', '--json', '--url', 'embedded'];
    const { stdout, stderr } = await runDossier(args, { cwd: folder.path, env });
    return { ...RunEnd.parse(JSON.parse(stdout)), stderr };
  };
  const guarded = await run({ DOSSIER_API_KEY: 'no-such-list' });
  expect(guarded.stderr).toContain('[redacted].csv');
  // The key of the first is no secret of the second, and its object is printed as well.
  const plain = await run({});
  expect(plain.stderr).toContain('no-such-list.csv');
  expect(plain.reason).toBe(guarded.reason);
});

test('`help run` is `run --help`', async () => {
  const [asked, plain] = await Promise.all([
    runDossier(['help', 'run']),
    runDossier(['run', '--help']),
  ]);
  expect(asked).toEqual(plain);
  expect(asked.stdout).toContain('--max-spend');
});
