import { parse } from 'tldts';
import { identifyCell } from '../src/core/identify/identify-cell.ts';
import { abnOfAcn } from '../src/core/identify/parse-abn.ts';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { compare, interleave } from './harness/rounds.ts';

const wantedCellsPerSecond = 300_000;

/**
 * How many cells a second one core identifies, compared with a loop that only calls tldts on the same
 * cells. CPU time is measured, because wall time grows on a busy machine.
 */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  const cells = mixedCells(isSmall ? 20_000 : 100_000);
  tell(`identifying ${cells.length} cells`);
  const rounds = await interleave(isSmall ? 5 : 11, {
    measured: async () => cellsPerSecond(cells, (cell) => 'value' in identifyCell(cell, 'auto')),
    ceiling: async () => cellsPerSecond(cells, (cell) => parse(cell).domain !== null),
  });
  const compared = compare(rounds, (rate) => rate);
  const isFast = compared.figure >= wantedCellsPerSecond;
  return [
    {
      name: 'identify a cell, against tldts alone',
      unit: 'cells/s',
      ...compared,
      notes: [
        `the goal of ${wantedCellsPerSecond.toLocaleString('en')} cells/s is ${isFast ? 'reached' : 'missed'}`,
      ],
    },
  ];
}

function cellsPerSecond(cells: readonly string[], isAccepted: (cell: string) => boolean): number {
  const startedAt = process.cpuUsage();
  let accepted = 0;
  for (const cell of cells) if (isAccepted(cell)) accepted += 1;
  const { user, system } = process.cpuUsage(startedAt);
  // The result is used, so that the compiler cannot remove the work.
  if (accepted === 0) throw new Error('no cell was accepted');
  return cells.length / ((user + system) / 1_000_000);
}

/** Cells of all kinds, in about the shares of real lead lists. */
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
