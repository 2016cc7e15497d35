import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StatusJson } from '../../src/facts/status.ts';
import type { Manifest } from '../../src/results/manifest.ts';
import type { ReportData } from '../../src/ui/report/report-data.ts';
import { ensurePages } from '../support/built-page.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { succeeded } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const list = ['website', ...Array.from({ length: 6 }, (_, index) => `firm-${index}.com.au`), ''];

function reportIn(page: string): ReportData {
  const [, json = ''] =
    /<script type="application\/json" id="report-data">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(json) as ReportData;
}

test('files, JSON, log, chat, report and status agree on a stopped run', async () => {
  await ensurePages();
  await using receiver = await openHostileServer({});
  await using service = await openSmallService();
  const job = {
    name: 'leads',
    input: { path: 'leads.csv' },
    people: { seniority: [1] },
    ledger: 'ledger.db',
    notify: { url: `${receiver.url}/chat` },
    output: { path: 'out', format: 'jsonl' },
  };
  const files = { 'leads.csv': list.join('\n'), 'my job.yaml': JSON.stringify(job) };
  using folder = openFolder(files, service.env);
  const dossier = (...args: string[]) => folder.dossier(args);
  const asEvents = ['--json', '--log-format', 'json', '--rate', 'none'];

  await succeeded(dossier('run', 'my job.yaml', '--rate', 'none'));
  const refresh = ['--refresh', 'all', '--max-calls', '2'];
  const night = await dossier('run', 'my job.yaml', ...refresh, ...asEvents);
  expect(night.exitCode, night.stderr).toBe(75);
  const aside = join(folder.path, 'out/held-r2');
  const manifest = JSON.parse(folder.read('out/held-r2/manifest.json')) as Manifest;
  const { rows, people } = manifest;
  const counted = { rows, people };
  expect(counted).toMatchObject({ rows: { total: 6, matched: 6, open: 0, stale: 4 }, people: 6 });
  const object = JSON.parse(night.stdout) as Record<string, unknown>;
  expect(object).toMatchObject({ ...counted, complete: false, held: null, folder: aside });
  const events = night.stderr.trimEnd().split('\n');
  expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ event: 'run.ended', ...counted });
  const message = JSON.parse(receiver.seen.at(-1)?.body ?? '') as { text: string };
  expect(message).toMatchObject({ event: 'failed', complete: false, ...counted });
  expect(message.text).toContain('6 rows: 6 found, 4 of them stale.');

  const report = folder.read('out/held-r2/report.html');
  const page = reportIn(report);
  expect(page).toMatchObject({ rows: { stale: 4 } });
  expect(page.attention[0]?.advice).toMatch(/the budget of 2 calls.* in a separate folder/);
  expect(page.attention.map(({ title }) => title)).toEqual([
    'The run did not finish',
    '4 rows show older answers',
  ]);
  expect(page.peopleTable?.rows).toHaveLength(6);

  const status = await dossier('status', 'my job.yaml', '--json');
  const [run] = (JSON.parse(status.stdout) as StatusJson).jobs[0]?.runs ?? [];
  expect(run).toMatchObject({ run: 'r2', state: 'incomplete', folder: aside, ...counted });
  const shown = (await dossier('status', 'my job.yaml')).stdout.replaceAll(/\s+/g, ' ');
  expect(shown).toContain('rows 6: 6 found, 4 of them stale');
  expect(shown).toContain('in a separate folder: out/held-r2');
  expect(shown).toContain('Run the same command again, with the same flags, to continue.');

  const next = await dossier('run', 'my job.yaml', '--refresh', 'all', ...asEvents);
  expect(JSON.parse(next.stdout)).toMatchObject({
    run: 'r2',
    resumed: true,
    complete: true,
    rows: { stale: 0, open: 0 },
  });
});
