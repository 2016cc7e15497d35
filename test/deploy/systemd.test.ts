import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { helpOf } from '../../scripts/docs/help-of.ts';
import { exitCodes } from '../../src/core/errors/exit-codes.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { testWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { byNumber, codesFor, flagsIn, notAtOnce, readSource } from './deploy-files.ts';

const service = readSource('deploy/systemd/dossier.service');

function setting(name: string): string {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(service)?.[1] ?? '';
}

function codes(name: string): number[] {
  return setting(name).split(' ').map(Number);
}

test('it restarts at once only for the documented exit codes', () => {
  expect(setting('Restart')).toBe('on-failure');
  expect(codes('RestartPreventExitStatus')).toEqual(notAtOnce());
  expect(codes('SuccessExitStatus')).toEqual([3]);
  const known = [0, ...codes('SuccessExitStatus'), ...notAtOnce(), ...codesFor('soon')];
  expect(known.sort(byNumber)).toEqual(Object.keys(exitCodes).map(Number));
});

test('a night with all its starts leaves the next night its own', () => {
  const hours = Number(/^(\d+)h$/.exec(setting('StartLimitIntervalSec'))?.[1]);
  const retried =
    (Number(setting('StartLimitBurst')) - 1) * Number.parseInt(setting('RestartSec'), 10);
  expect(hours + retried / 60).toBeLessThan(24);
});

const crontab = readSource('deploy/crontab');
const [line = ''] = /^\d.*/m.exec(crontab) ?? [];

test('the flags are there, in the unit and in the crontab', async () => {
  const help = await helpOf(['run']);
  for (const command of [setting('ExecStart'), line]) {
    expect(command).toContain('/usr/local/bin/dossier run ');
    for (const flag of flagsIn(command)) expect(help).toContain(`${flag} `);
  }
});

test('the job for machines is valid, has no default service and absolute paths', () => {
  const path = join(import.meta.dirname, '../../deploy/nightly.yaml');
  expect(loadJob(path, {}).urlProblem).toContain('DOSSIER_URL is not set');
  const url = /^Environment=DOSSIER_URL=(.*)$/m.exec(service)?.[1];
  expect(crontab).toContain(`\nDOSSIER_URL=${url}\n`);
  const { job } = loadJob(path, { DOSSIER_URL: url });
  expect(job.service).toMatchObject({ url, keyFile: '/etc/dossier/key' });
  expect(job).toMatchObject({
    service: { price: { currency: expect.stringMatching(/^[A-Z]{3}$/) } },
    budget: { perStart: expect.any(Number), perMonth: expect.any(Number) },
    ledger: { path: '/var/lib/dossier/ledger.db', mustExist: true },
  });
  for (const place of [job.input.path, ...[job.output].flat().map(({ path }) => path)]) {
    expect(place).toMatch(/^\/var\/lib\/dossier\//);
  }
});

testWhere('systemd-analyze')('systemd finds nothing wrong with the units', () => {
  using folder = temporaryFolder();
  const units = ['dossier.service', 'dossier.timer'].map((name) => {
    const path = join(folder.path, name);
    // The command of the unit is not installed here; that is all that may differ.
    const unit = readSource(`deploy/systemd/${name}`).replace(
      '/usr/local/bin/dossier',
      '/bin/true',
    );
    writeFileSync(path, unit);
    return path;
  });
  const stderr = execFileSync('sh', ['-c', 'systemd-analyze verify "$@" 2>&1', 'sh', ...units]);
  expect(String(stderr)).toBe('');
});
