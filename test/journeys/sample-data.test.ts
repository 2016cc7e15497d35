import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const said = /^SAMPLE DATA: made-up companies answer\./m;

test('sample data answers only with --url embedded, and every command says so', async () => {
  using folder = temporaryFolder();
  const dossier = (...args: string[]) => runDossier(args, { cwd: folder.path });
  writeFileSync(join(folder.path, 'leads.csv'), 'website\nlarchhaven-apps-sample.com\nacme.com\n');
  expect(await dossier('init', 'leads.csv')).toMatchObject({ exitCode: 0 });
  for (const job of ['leads.yaml', 'leads.csv']) {
    const refused = await dossier('run', job);
    expect(refused.exitCode).toBe(78);
    expect(refused.stderr).toContain('DOSSIER_URL');
    expect(refused.stderr).toContain('--url embedded');
  }

  const planned = await dossier('plan', 'leads.yaml', '--url', 'embedded');
  expect(planned.stdout).toMatch(said);
  expect(planned.stdout.startsWith('SAMPLE DATA')).toBe(true);
  const ran = await dossier('run', 'leads.yaml', '--url', 'embedded', '--json');
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stderr.startsWith('SAMPLE DATA')).toBe(true);
  expect(ran.stderr).toContain('of SAMPLE DATA\n');
  expect(JSON.parse(ran.stdout)).toMatchObject({ sampleData: true, rows: { matched: 1 } });

  const read = (name: string) => readFileSync(join(folder.path, 'output/leads', name), 'utf8');
  expect(Object.entries(JSON.parse(read('manifest.json')))[0]).toEqual(['sampleData', true]);
  expect(read('report.html')).toContain('"sampleData":true');
  const [all, one, exported, lookup] = [
    await dossier('status'),
    await dossier('status', 'leads.yaml'),
    await dossier('export', 'leads.yaml'),
    await dossier('lookup', 'larchhaven-apps-sample.com', '--url', 'embedded'),
  ];
  expect(all.stdout).toMatch(/^SAMPLE DATA: .* answered for leads$/m);
  expect(one.stdout).toContain('SAMPLE DATA');
  expect(exported.stderr).toMatch(said);
  expect(lookup.stderr).toMatch(said);
  expect(lookup.stdout).toMatch(/^Larchhaven Apps Pty Ltd\n/);
});
