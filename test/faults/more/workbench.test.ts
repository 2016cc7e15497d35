import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { testIf } from '../../support/needs.ts';
import { openUi } from '../../support/open-ui.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { numbersOf, openFolder, tableOf } from '../../ui/workbench/support/workbench-folder.ts';
import { canMount, mountSmallDisk } from '../support/disks.ts';

const isLinux = process.platform === 'linux';

testIf(isLinux, 'there is no /proc')('a dropped list may be larger than the memory', async () => {
  const chunk = Buffer.from(`${'x'.repeat(1_000)},acme.com.au\n`.repeat(1_024));
  async function* ofSize(mebibytes: number) {
    // Columns of its own, so that it is no newer version of the other list.
    yield Buffer.from(`Company ${mebibytes},Website\n`);
    for (let sent = 0; sent < mebibytes; sent += 1) yield chunk;
  }
  using folder = temporaryFolder();
  await using ui = await openUi(folder.path);
  const send = (name: string, mebibytes: number) =>
    ui.answer('lists', { method: 'POST', query: { name }, body: Readable.from(ofSize(mebibytes)) });
  await send('large.csv', 16);
  const before = mostMemory(ui.pid);
  expect(await send('larger.csv', 112)).toEqual({ job: 'larger.yaml' });
  expect(mostMemory(ui.pid) - before).toBeLessThan(72);
});

/** The most memory that a process has had, in MiB. */
function mostMemory(pid: number): number {
  const [, kibibytes = ''] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}

testIf(canMount, 'this user may not mount a small disk')(
  'on a full disk the table works on, without search',
  async () => {
    await using folder = await openFolder();
    // More than the memory that the table may take.
    const row = (_: unknown, at: number) => `${'x'.repeat(150_000)},s${at}.com.au`;
    folder.write('leads.csv', ['Name,Website', ...Array.from({ length: 40 }, row)].join('\n'));
    await folder.dossier('run', 'leads.csv', '--rate', 'none', '--format', 'jsonl');
    using disk = temporaryFolder();
    using _ = mountSmallDisk(disk.path, 40);
    await using ui = await openUi(folder.path, { ...folder.env, SQLITE_TMPDIR: disk.path });
    const table = tableOf(ui, 'leads.csv');
    const problem = async () => (await table.rows()).index.problem;
    await expect.poll(problem).toMatch(/full|disk/);
    expect(numbersOf(await table.rows())).toHaveLength(40);
    expect((await table.rows({ search: 's1' })).total).toBe(0);
  },
  90_000,
);
