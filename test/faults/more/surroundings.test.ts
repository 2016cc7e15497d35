import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeWorkbook, textRow } from '../../support/make-workbook.ts';
import { isOnPath, testIf, testWhere } from '../../support/needs.ts';
import { readBack } from '../../support/read-back.ts';
import { faultCase } from '../support/fault-case.ts';
import { expectNothingLost } from '../support/oracle.ts';
import type { Shape } from '../support/sample-job.ts';
import { expectToEnd } from '../support/trouble.ts';
import { openWorld } from '../support/world.ts';

const shape: Partial<Shape> = { people: 1, job: { limits: { attempts: 1 } } };

describe('standard streams that are gone', () => {
  faultCase('a reader of standard output that has left changes no exit code', async () => {
    let isBroken = true;
    await using world = await openWorld(shape, ({ path }) =>
      isBroken && path.includes('company11-') ? { status: 500 } : undefined,
    );
    const running = world.start();
    running.process.stdout?.destroy();
    expectToEnd(await running.ended, 3);
    isBroken = false;
    const fixed = world.start();
    fixed.process.stdout?.destroy();
    expectToEnd(await fixed.ended);
    await expectNothingLost(world);
  });
});

/** Makes everything read-only except the folder in the first argument, and runs the rest there. */
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

const asNobody = [
  'setpriv',
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  'env',
  '-u',
  'HOME',
];

/** Runs as a user without rights or home, where only this folder is writable. */
function confinedTo(folder: string): string[] {
  chmodSync(folder, 0o777);
  return ['unshare', '--mount', 'sh', '-c', inReadOnlyRoot, 'sh', folder, ...asNobody];
}

const where = testIf(
  isRoot && isOnPath('unshare') && isOnPath('setpriv'),
  'a read-only root needs root, unshare and setpriv',
);

describe('a machine that gives little', () => {
  faultCase(
    'a read-only root, no home and no rights: the folder of the data is enough',
    async () => {
      await using world = await openWorld(shape);
      expectToEnd(await world.run({ under: confinedTo(world.folder) }));
      await expectNothingLost(world);
    },
    { where },
  );

  faultCase(
    'with a low limit of open files, nothing is lost',
    async () => {
      await using world = await openWorld(shape);
      const ends = [];
      for (const files of [24, 27]) {
        const under = ['sh', '-c', `ulimit -n ${files}; exec "$@"`, 'sh'];
        const ended = await world.run({ under });
        ends.push(ended.by);
      }
      expect(ends).toContain(74);
      expectToEnd(await world.run());
      await expectNothingLost(world);
    },
    { short: 0, where: testWhere('sh') },
  );
});

test('a sheet with a stray cell at its far end is refused before it fills the memory', async () => {
  const many = Array.from({ length: 3_060 }, (_, index) => textRow(index + 3, 'acme.com'));
  const stray = '<row r="2"><c r="XFD2"><v>1</v></c></row>';
  const rows = textRow(1, 'Website') + stray + many.join('');
  const list = makeWorkbook({ sheets: [{ name: 'Leads', rows }] });
  await expect(readBack(list, { fileName: 'leads.xlsx' })).rejects.toThrow(
    /has 16,384 columns, .*delete stray cells beside the list/,
  );
});
