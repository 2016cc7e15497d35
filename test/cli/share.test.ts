import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const share = 'redis://:pass-word@127.0.0.1:1';

function workplace() {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, 'leads.csv'), 'website\nlarchhaven-apps-sample.com\n');
  const dossier = (line: string, env: Record<string, string> = {}) =>
    runDossier(line.split(' '), { cwd: folder.path, env });
  return { dossier, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test('a run over sample data says that it shares nothing, and needs no Redis', async () => {
  using at = workplace();
  const env = { DOSSIER_SHARE: share };
  const { exitCode, stdout, stderr } = await at.dossier('run leads.csv --url embedded --json', env);
  const note = 'Sample data is answered in this process, so nothing is shared through Redis.';
  expect({ exitCode, told: stderr.includes(note) }).toEqual({ exitCode: 0, told: true });
  expect((JSON.parse(stdout) as { notes: string[] }).notes).toContain(note);
});
