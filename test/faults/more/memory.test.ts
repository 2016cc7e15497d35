import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { companyOf, domainOf, numberAsked } from '../../journeys/sample-companies.ts';
import { faultCase } from '../support/fault-case.ts';
import { expectNothingLost } from '../support/oracle.ts';
import { expectToEnd } from '../support/trouble.ts';
import { openWorld } from '../support/world.ts';

const megabyte = 1_000_000;

/** Ends standard error with the most memory that the process had at any time. */
const tellMemory = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread) process.on('exit', () => {
    process.stderr.write('maxRSS=' + process.resourceUsage().maxRSS * 1024 + '\\n');
  });`)}`;

async function expectToFit(answers: number, bodyBytes: number, mostBytes: number): Promise<void> {
  const description = 'x'.repeat(bodyBytes);
  await using world = await openWorld(
    { people: undefined, concurrency: answers, formats: ['csv'] },
    ({ path }) => ({ body: JSON.stringify({ ...companyOf(numberAsked(path)), description }) }),
  );
  const domains = Array.from({ length: answers }, (_, number) => `,${domainOf(number)}`);
  writeFileSync(join(world.folder, 'leads.csv'), ['page,website', ...domains].join('\n'));
  const run = await world.run({ nodeOptions: ['--import', tellMemory] });
  expectToEnd(run);
  expect(world.asked()).toHaveLength(answers);
  expect(Number(/maxRSS=(\d+)/.exec(run.stderr)?.[1])).toBeLessThan(mostBytes);
}

describe('memory', () => {
  faultCase(
    'of many large answers at once does not grow with their number, and none is fetched twice',
    () => expectToFit(24, 4 * megabyte, 600 * megabyte),
    { short: 0 },
  );

  faultCase('after a start that died without an answer, the next makes fewer calls', async () => {
    let isSilent = true;
    await using world = await openWorld({ concurrency: 4 }, () =>
      isSilent ? { neverAnswer: true } : undefined,
    );
    const askedAtOnce: number[] = [];
    for (const expected of [4, 2, 1]) {
      const before = world.asked().length;
      const running = world.start();
      await world.untilAsked(before + expected);
      // Time for a call too many.
      await delay(300);
      running.process.kill('SIGKILL');
      await running.ended;
      askedAtOnce.push(world.asked().length - before);
    }
    expect(askedAtOnce).toEqual([4, 2, 1]);
    isSilent = false;
    const run = await world.run();
    expectToEnd(run);
    expect(run.stderr).toMatch(/run\.slowed deadStarts=3 callsAtOnce=1/);
    await expectNothingLost(world, { kills: 3 });
    // After a start that has ended by itself it is as fast as ever.
    expect((await world.run({ args: ['--limit', '5'] })).stderr).not.toContain('run.slowed');
  });
});
