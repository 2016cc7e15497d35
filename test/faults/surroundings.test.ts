import { chmodSync, existsSync } from 'node:fs';
import { describe } from 'vitest';
import { isOnPath, testIf } from '../support/needs.ts';
import { expectToEnd, expectToStop } from './support/expect-stop.ts';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import type { Shape } from './support/sample-job.ts';
import { openWorld } from './support/world.ts';

const shape: Partial<Shape> = { rows: 40, people: 1 };

describe('standard streams that are gone', () => {
  faultCase('a reader of standard output that has left changes no exit code', async () => {
    let isBroken = true;
    await using world = await openWorld(
      { ...shape, job: { limits: { attempts: 1 } } },
      ({ path }) => (isBroken && path.includes('company11-') ? { status: 500 } : undefined),
    );
    const running = world.start();
    running.process.stdout?.destroy();
    expectToEnd(await running.ended, 3);
    isBroken = false;
    const mended = world.start();
    mended.process.stdout?.destroy();
    expectToEnd(await mended.ended);
    await expectNothingLost(world);
  });

  faultCase('a reader of standard error that has left stops no run', async () => {
    await using world = await openWorld(shape);
    const running = world.start({ args: ['--log-level', 'debug'] });
    running.process.stderr?.destroy();
    expectToEnd(await running.ended);
    await expectNothingLost(world);
  });

  faultCase(
    'a full disk under standard error stops no run; under standard output it is told',
    async () => {
      await using world = await openWorld(shape);
      const into = (stream: string) => ['sh', '-c', `exec "$@" ${stream}/dev/full`, 'sh'];
      expectToEnd(await world.run({ under: into('2>'), args: ['--log-level', 'debug'] }));
      await expectNothingLost(world);
      expectToStop(await world.run({ under: into('>') }), 'OUTPUT_TROUBLE', 'standard output');
    },
    { rounds: { short: 0, long: 1 }, where: testIf(existsSync('/dev/full'), 'no /dev/full') },
  );
});

/** Everything is read-only but the folder named first. What follows is run there. */
const inReadOnlyRoot = `
  set -e
  data=$1
  shift
  mount --make-rprivate /
  mount --bind "$data" "$data"
  for place in $(awk '{ print $2 }' /proc/self/mounts | sort -ru); do
    case "$place" in /proc*|/sys*|"$data") continue ;; esac
    mount -o remount,ro,bind "$place" 2> /dev/null || true
  done
  if (: > /written) 2> /dev/null; then echo 'the root can be written to' >&2; exit 99; fi
  cd "$data"
  exec "$@"`;

const isRoot = process.getuid?.() === 0;

describe('a machine that gives little', () => {
  faultCase(
    'a read-only root, no home and no rights: the folder of the data is enough',
    async () => {
      await using world = await openWorld(shape);
      chmodSync(world.folder, 0o777);
      const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
      const under = [
        ...['unshare', '--mount', 'sh', '-c', inReadOnlyRoot, 'sh', world.folder],
        ...[...nobody, 'env', '-u', 'HOME'],
      ];
      expectToEnd(await world.run({ under }));
      await expectNothingLost(world);
      for (const command of [['plan', 'job.yaml'], ['status'], ['export', 'job.yaml']]) {
        expectToEnd(await world.run({ under, command: [...command, '--ledger', 'ledger.db'] }));
      }
    },
    {
      where: testIf(
        isRoot && isOnPath('unshare') && isOnPath('setpriv'),
        'a read-only root needs root, unshare and setpriv',
      ),
    },
  );
});
