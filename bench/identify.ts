import { parseArgs } from 'node:util';
import { parse } from 'tldts';
import { abnOfAcn } from '../src/identify/abn-check-digits.ts';
import { identifyCell } from '../src/identify/identify-cell.ts';

/**
 * How many cells a second one core identifies, beside a loop that only calls tldts on the same
 * cells. Rounds alternate, so that a busy machine slows both alike; the median of each is shown.
 * Seconds are those of the processor: waiting for a turn on a shared machine is not our work.
 */
const cellCount = 100_000;
const rounds = 11;
const target = 300_000;

const cells = mixedCells(cellCount);
const loops = {
  'identifyCell(cell, auto)': () => countOf((cell) => 'value' in identifyCell(cell, 'auto')),
  'tldts parse(cell) alone': () => countOf((cell) => parse(cell).domain !== null),
};

const seconds = new Map<string, number[]>(Object.keys(loops).map((name) => [name, []]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, loop] of Object.entries(loops)) {
    const startedAt = process.cpuUsage();
    loop();
    // The first round warms the compiler up.
    if (round > 0) seconds.get(name)?.push(secondsSince(startedAt));
  }
}

const results = Object.entries(loops).map(([name, loop]) => ({
  name,
  cellsPerSecond: Math.round(cellCount / median(seconds.get(name) ?? [])),
  accepted: loop(),
}));
const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
process.stdout.write(
  options.json ? `${JSON.stringify({ cellCount, rounds, target, results })}\n` : table(),
);

function table(): string {
  const lines = results.map(({ name, cellsPerSecond, accepted }) => {
    const rate = cellsPerSecond.toLocaleString('en').padStart(12);
    return `${name.padEnd(26)}${rate}${accepted.toLocaleString('en').padStart(12)}`;
  });
  const head = `${'loop'.padEnd(26)}${'cells/s'.padStart(12)}${'accepted'.padStart(12)}`;
  const note = `${cellCount.toLocaleString('en')} cells, median of ${rounds} rounds; the target is ${target.toLocaleString('en')}`;
  return `${[head, ...lines, note].join('\n')}\n`;
}

function countOf(isAccepted: (cell: string) => boolean): number {
  let accepted = 0;
  for (const cell of cells) if (isAccepted(cell)) accepted += 1;
  return accepted;
}

function secondsSince(startedAt: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1_000_000;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** What lead lists hold, in about the shares in which they hold it. */
function mixedCells(count: number): string[] {
  const spellings: ((name: string, n: number) => string)[] = [
    (name) => `${name}.com.au`,
    (name) => `www.${name}.com`,
    (name) => `https://www.${name}.com.au/`,
    (name) => `http://${name}.co.nz/about-us?utm_source=list`,
    (name) => `${name}.com`,
    (name) => `shop.${name}.com.au`,
    (name) => `jane.doe@${name}.com.au`,
    (_, n) => `contact${n}@gmail.com`,
    (_, n) => abnOfAcn(String(n).padStart(9, '0')),
    (_, n) => abnOfAcn(String(n * 7).padStart(9, '0')).replace(/(?=(?:\d{3})+$)/g, ' '),
    (_, n) => `ABN ${abnOfAcn(String(n * 3).padStart(9, '0'))}`,
    (_, n) => String(10_000_000_000 + n),
    (name) => `https://www.linkedin.com/company/${name}/`,
    (name) => `https://au.linkedin.com/company/${name}?trk=public_profile`,
    (name) => `https://www.linkedin.com/in/${name}`,
    (name) => `https://www.facebook.com/${name}`,
    (name) => `${name} Pty Ltd`,
    (name) => `\u00a0${name}.com\u200b`,
    (name) => `müller-${name}.de`,
    () => 'n/a',
  ];
  return Array.from({ length: count }, (_, n) => {
    const spell = spellings[n % spellings.length];
    return spell?.(`acme-${((n * 2_654_435_761) % 1_000_003).toString(36)}`, n) ?? '';
  });
}
