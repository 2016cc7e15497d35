import { execFile } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';
import { readSource } from './deploy-files.ts';

/** More rows than the try of the page takes. */
const list = ['crm_id,website', ...Array.from({ length: 104 }, (_, at) => `${at},a${at}.com.au`)];

test('the first day of operations.md works as it is written, with mustExist', async () => {
  const page = readSource('docs/operations.md');
  const [, job = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const [, commands = ''] = /^Try it.*?^```sh\n(.*?)^```$/ms.exec(page) ?? [];
  expect(job).toContain('mustExist: true');
  await using service = await openSmallService();
  using folder = openFolder({ key: 'key-of-the-first-day', 'in/leads.csv': list.join('\n') });
  const here = job
    .replace('/etc/dossier', folder.path)
    .replaceAll('/var/lib/dossier', folder.path)
    .replace('rate: 10 ', 'rate: none ');
  writeFileSync(join(folder.path, 'nightly.yaml'), here);
  const run = async (line: string) =>
    await folder.dossier(line.replace(/^dossier /, ''), { env: { DOSSIER_URL: service.url } });
  const lines = commands.split('\n').map((line) => line.split(/\s+#/)[0] ?? '');
  const printed: string[] = [];
  for (const line of lines.filter(Boolean)) {
    const { exitCode, stdout, stderr } = await run(line);
    expect({ line, exitCode, stderr: exitCode === 0 ? '' : stderr }).toMatchObject({ exitCode: 0 });
    printed.push(`${stdout}${stderr}`);
  }
  const [, plan = '', trial = ''] = printed;
  // Its own advice is the command that works next.
  expect(plan).toContain('dossier run nightly.yaml --new-ledger');
  expect(trial).toMatch(/To run the whole\s+list:\n {2}dossier run nightly.yaml$/m);
  // A check may ask for a company that does not exist.
  const asked = service.seen.filter(({ path }) => /fqdn=a\d+\.com\.au/.test(path));
  expect(asked).toHaveLength(list.length - 1);
});

/** Users of other machines do not exist here, and a test need not be root. */
const programs = {
  useradd: '',
  sudo: '[ "$1 $2" = "-u dossier" ] || exit 1; shift 2; exec "$@"',
  install: `for word do shift; case $word in -o|-g) owner=1;; *) [ $owner ] || set -- "$@" "$word"; owner=;; esac; done
exec /usr/bin/install "$@"`,
  dossier: `exec '${process.execPath}' '${packagePath('src/main.ts')}' "$@"`,
};

test('the first day of nightly.yaml works as its head says, and then its unit and its crontab', async () => {
  await using service = await openSmallService();
  using folder = openFolder({ 'key.txt': 'key-of-the-first-day', 'leads.csv': list.join('\n') });
  for (const [name, script] of Object.entries(programs)) {
    folder.write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
  }
  await promisify(execFile)('chmod', ['-R', '755', join(folder.path, 'bin')]);
  const moved = (text: string) =>
    text
      .replaceAll(/(?<=[ =])\/(etc|var)\//g, `${folder.path}/$1/`)
      .replaceAll('/usr/local/bin/dossier', 'dossier')
      .replaceAll('https://api.example.com/v1', service.url)
      .replace('rate: 10 ', 'rate: none ');
  const job = moved(readSource('deploy/nightly.yaml'));
  folder.write('deploy/nightly.yaml', job);
  const shell = async (script: string, env = {}) =>
    await promisify(execFile)('sh', ['-ec', script], {
      cwd: folder.path,
      env: { PATH: `${folder.path}/bin:${process.env.PATH}`, ...env },
    });
  const recipe = [...job.matchAll(/^# {3}(.*)$/gm)].map(([, line]) => line);
  expect(recipe.join('\n')).toMatch(/install .*-m 600 -o dossier key.txt .*\/etc\/dossier\/key$/m);
  await shell(recipe.join('\n'));
  expect(service.seen).toHaveLength(list.length - 1);
  // Nobody else reads what was paid for.
  expect(statSync(join(folder.path, 'var/lib/dossier')).mode & 0o7).toBe(0);

  const metrics = join(folder.path, 'var/lib/node_exporter/textfile/dossier-nightly.prom');
  expect(existsSync(metrics)).toBe(false);
  const unit = moved(readSource('deploy/systemd/dossier.service'));
  const [, start = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  await shell(start, { DOSSIER_URL: service.url });
  expect(existsSync(metrics)).toBe(true);

  const crontab = moved(readSource('deploy/crontab'));
  const [, line = ''] = /^15 2 \* \* \* +(.*)$/m.exec(crontab) ?? [];
  // cron takes a bare % for the end of the command.
  expect(line).not.toMatch(/(?<!\\)%/);
  const settings = [...crontab.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  const { PATH: _, ...env } = Object.fromEntries(settings);
  for (const night of [1, 2]) {
    await shell(line.replaceAll('\\%', '%'), { ...env, HEARTBEAT_URL: '' });
    const { stdout } = await shell(
      'grep -c run.ended $(ls -t var/lib/dossier/nightly-*.log | head -1)',
    );
    expect({ night, ends: stdout.trim() }).toEqual({ night, ends: '1' });
  }
  expect(service.seen).toHaveLength(list.length - 1);
}, 60_000);
