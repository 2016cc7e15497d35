import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
  expect(trial.replaceAll(/\s+/g, ' ')).toContain(
    'The same command without --limit and --new-ledger runs the whole list',
  );
  // A check may ask for a company that does not exist.
  const asked = service.seen.filter(({ path }) => /fqdn=a\d+\.com\.au/.test(path));
  expect(asked).toHaveLength(list.length - 1);
});
