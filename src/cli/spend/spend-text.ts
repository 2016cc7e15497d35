import { styleText } from 'node:util';
import type { Grouping } from '../../overview/spend/groupings.ts';
import type { SpendEntry, SpendJson, SpendSum } from '../../overview/spend/spend-json.ts';
import { formatMonies, moneyOf } from '../../runtime/budget/money.ts';
import { widthOf, wrapped } from '../terminal/text.ts';

const counts = ['requests', 'hits', 'misses', 'failed', 'unanswered', 'notCharged'] as const;
const titles = counts.map((count) => (count === 'notCharged' ? 'not charged' : count));
const explained =
  'Requests may be charged: hits, misses, failed and unanswered together. Unanswered ones were tried again or cut off. Those not charged come on top.';
const gap = '  ';

/** The table of `dossier spend`, with its sum in the last line. Empty where nothing was paid. */
export function spendText({ by, entries, total }: SpendJson, stream: NodeJS.WriteStream): string {
  if (entries.length === 0) return '';
  const groups = by as Grouping[];
  const hasMoney = total.money.length > 0;
  const cellsOf = (names: readonly string[], sum: SpendSum) => [
    ...names,
    ...counts.map((count) => sum[count].toLocaleString('en')),
    ...(hasMoney ? [moneyText(sum)] : []),
  ];
  const nameOf = (entry: SpendEntry, group: Grouping) => entry[group] ?? '';
  const totalNames = groups.map((_, index) => (index === 0 ? 'total' : ''));
  const table = [
    [...groups, ...titles, ...(hasMoney ? ['money'] : [])],
    ...entries.map((entry) =>
      cellsOf(
        groups.map((group) => nameOf(entry, group)),
        entry,
      ),
    ),
    ...(entries.length > 1 ? [cellsOf(totalNames, total)] : []),
  ];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, at) => {
        const width = widths?.[at] ?? 0;
        return at < groups.length ? cell.padEnd(width) : cell.padStart(width);
      })
      .join(gap)
      .trimEnd(),
  );
  const bold = (line: string) => styleText('bold', line, { stream });
  const shown = lines.map((line, index) => (index === 0 ? bold(line) : line));
  return `${[...shown, ...wrapped(explained, widthOf(stream))].join('\n')}\n`;
}

function moneyText({ money }: SpendSum): string {
  return formatMonies(money.map(moneyOf));
}
