import { expect, test } from 'vitest';
import { succeeded } from '../support/run-dossier.ts';
import { openFolder } from '../support/work-folder.ts';

const said = /^SAMPLE DATA: made-up companies\. To use your service, set its URL\.$/m;

test('sample data answers only with --url embedded, and every command says so', async () => {
  const leads = 'website\nlarchhaven-apps-sample.com\nacme.com\n';
  using folder = openFolder({ 'leads.csv': leads });
  const { dossier } = folder;
  expect(await dossier('init leads.csv')).toMatchObject({ exitCode: 0 });
  for (const job of ['leads.yaml', 'leads.csv']) {
    const refused = await dossier(`run ${job}`);
    expect(refused.exitCode).toBe(78);
    expect(refused.stderr).toContain('DOSSIER_URL');
    expect(refused.stderr).toContain('--url embedded');
  }

  const planned = await dossier('plan leads.yaml --url embedded');
  expect(planned.stdout).toMatch(said);
  expect(planned.stdout.startsWith('SAMPLE DATA')).toBe(true);
  const ran = await succeeded(dossier('run leads.yaml --url embedded --json'));
  expect(ran.stderr.startsWith('SAMPLE DATA')).toBe(true);
  expect(ran.stderr).toContain('with SAMPLE DATA\n');
  expect(JSON.parse(ran.stdout)).toMatchObject({ sampleData: true, rows: { matched: 1 } });

  const read = (name: string) => folder.read(`output/leads/${name}`);
  expect(Object.entries(JSON.parse(read('manifest.json')))[0]).toEqual(['sampleData', true]);
  expect(read('report.html')).toContain('"sampleData":true');
  const [all, one, exported, lookup] = [
    await dossier('status'),
    await dossier('status leads.yaml'),
    await dossier('export leads.yaml'),
    await dossier('lookup larchhaven-apps-sample.com --url embedded'),
  ];
  expect(all.stdout).toMatch(/^SAMPLE DATA: .* answered for leads$/m);
  expect(one.stdout).toContain('SAMPLE DATA');
  expect(exported.stderr).toMatch(said);
  expect(lookup.stderr).toMatch(said);
  expect(lookup.stdout).toMatch(/^Larchhaven Apps Pty Ltd\n/);
});
