import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { lockJob, tryLockJob } from '../../../../src/engine/ledger/file/locks.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const module = pathToFileURL(
  join(import.meta.dirname, '../../../../src/engine/ledger/file/locks.ts'),
).href;

/** A process that holds the lock until it is killed. */
async function holdElsewhere(ledger: string, job: string) {
  const script = `
    const { lockJob } = await import(${JSON.stringify(module)});
    // A lock that nothing names any more may be collected, and is then given back.
    globalThis.lock = lockJob(${JSON.stringify(ledger)}, ${JSON.stringify(job)});
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  await once(child.stdout, 'data');
  return child;
}

test('a job is locked for one process, and free as soon as that is dead', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  const child = await holdElsewhere(ledger, 'leads');
  expect(tryLockJob(ledger, 'leads')).toBeUndefined();
  expect(() => lockJob(ledger, 'leads')).toThrow('another run of leads is under way');
  using other = tryLockJob(ledger, 'other-job');
  expect(other).toBeDefined();

  child.kill('SIGKILL');
  await once(child, 'exit');
  using lock = tryLockJob(ledger, 'leads');
  expect(lock).toBeDefined();
});

test('a lock that was given back can be taken again', () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'deep/ledger.db');
  for (let time = 0; time < 3; time += 1) {
    using lock = lockJob(ledger, 'leads');
    expect(lock).toBeDefined();
    expect(tryLockJob(ledger, 'leads')).toBeUndefined();
  }
});
