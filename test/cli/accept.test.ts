import { expect, test } from 'vitest';
import { testWhere } from '../support/needs.ts';
import { succeeded } from '../support/run-dossier.ts';
import { runInTerminal } from '../support/run-in-terminal.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const sites = (rows: number) => Array.from({ length: rows }, (_, row) => `site${row}.com.au`);
const listOf = (rows: number) => `website\n${sites(rows).join('\n')}\n`;

/** A job whose last result had 40 rows, and whose list now has 10. */
async function openCutList() {
  const service = await openSmallService();
  const job = 'name: leads\ninput: {path: leads.csv}\nlimits: {rate: none}\n';
  const folder = openFolder({ 'job.yaml': job, 'leads.csv': listOf(40) }, service.env);
  await succeeded(folder.dossier('run job.yaml --output first'));
  folder.write('leads.csv', listOf(10));
  return {
    ...folder,
    service,
    run: (line: string) => folder.dossier(`run job.yaml${line}`),
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

const command = /^ {2}dossier (?<line>.* --accept (?<hash>[\da-f]{8}))$/m;

test('a held list is accepted by the printed command, but not once it has changed', async () => {
  await using at = await openCutList();
  const held = await at.run(' --output out --input leads.csv --json');
  expect(held.exitCode).toBe(4);
  const { line = '', hash = '' } = command.exec(held.stderr)?.groups ?? {};
  expect(line).toBe(`run job.yaml --output out --input leads.csv --json --accept ${hash}`);
  expect(JSON.parse(held.stdout).remedy).toContain(`\n  dossier ${line}\n`);

  at.write('leads.csv', listOf(9));
  const changed = await at.dossier(line);
  expect(changed.exitCode).toBe(4);
  const now = command.exec(changed.stderr)?.groups?.hash;
  expect(changed.stderr).toContain(`its hash is ${now}, not ${hash}`);
  at.write('leads.csv', listOf(10).replace('website', 'address'));
  expect((await at.dossier(line)).exitCode).toBe(4);
  expect(at.service.seen).toHaveLength(40);

  at.write('leads.csv', listOf(10));
  const plan = await at.dossier('plan job.yaml --output out');
  expect(plan.stderr).toContain(`  dossier run job.yaml --output out --accept ${hash}\n`);
  await succeeded(at.dossier(line));
  const audit = JSON.parse((await at.dossier('audit --json')).stdout);
  expect(audit.entries.at(-1)).toMatchObject({ command: `run --accept ${hash}`, exitCode: 0 });
});

test('without a terminal, a bare --accept ends with the command that has the hash', async () => {
  await using at = await openCutList();
  const bare = await at.dossier('run --accept job.yaml');
  expect(bare.exitCode).toBe(64);
  expect(bare.stderr).toContain('The list looks cut short');
  const { line = '' } = command.exec(bare.stderr)?.groups ?? {};
  expect(line).toMatch(/^run job.yaml --accept [\da-f]{8}$/);
  expect(at.service.seen).toHaveLength(40);
  await succeeded(at.dossier(line));
  // Nothing is to be accepted now.
  await succeeded(at.run(' --accept'));
});

test('--accept any accepts every list, and --accept clock none', async () => {
  await using at = await openCutList();
  const clock = await at.run(' --accept clock');
  expect(clock.exitCode).toBe(4);
  expect(clock.stderr).toMatch(/^ {2}dossier run job.yaml --accept=clock --accept [\da-f]{8}$/m);
  await succeeded(at.run(' --accept any --accept clock'));
  const wrong = await at.run(' --accept 3f9');
  expect(wrong.exitCode).toBe(64);
  expect(wrong.stderr).toContain('--accept needs the hash of a held list, any or clock, not 3f9');
});

testWhere('script')('in a terminal, a bare --accept asks, and takes only a yes', async () => {
  await using at = await openCutList();
  const answer = (typed: string) =>
    runInTerminal('run job.yaml --accept', typed, at.path, at.service.env);
  const no = await answer('\n');
  expect(no.shown).toContain('The list is not what was expected: the list has 10 rows');
  expect(no.exitCode).toBe(4);
  expect(at.service.seen).toHaveLength(40);
  await succeeded(answer('y\n'));
});
