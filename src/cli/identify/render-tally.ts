import { styleText } from 'node:util';
import { type RejectCode, rejectCatalog } from '../../identify/rejects.ts';
import { counted, shortened, widthOf, wrapped } from '../terminal/text.ts';
import type { Count, TallyCounts } from './identify-tally.ts';

const noteIndent = '    ';

/** The counts as a table that fits the terminal, in colour when the stream supports it. */
export function renderTally(
  name: string,
  counts: TallyCounts,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  const width = widthOf(stream);
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream });
  const kinds = Object.entries(counts.kinds);
  const reasons = Object.entries(counts.reasons) as [RejectCode, Count][];
  const { duplicates, derived } = counts;

  // Two blanks before each name and two after the longest name.
  const nameWidth = Math.max(...[...kinds, ...reasons].map(([label]) => label.length), 10) + 4;
  const numberWidth = Math.max(written(counts.values).length, 5);
  const room = width - nameWidth - numberWidth - 2;

  const total = (label: string, count: number, color: 'green' | 'yellow') => {
    const share = counts.values === 0 ? '' : `${Math.round((count / counts.values) * 100)}%`;
    const line = `${label.padEnd(nameWidth)}${written(count).padStart(numberWidth)}  ${share}`;
    return style(['bold', color], line.trimEnd());
  };
  const entry = (label: string, count: number, example: string) => {
    const shown = shortened(example, room);
    return `  ${label.padEnd(nameWidth - 2)}${written(count).padStart(numberWidth)}  ${shown}`.trimEnd();
  };
  const note = (text: string) =>
    wrapped(text, width - noteIndent.length).map((line) => style('dim', `${noteIndent}${line}`));

  const lines = [
    style('bold', shortened(`${name}: ${counted(counts.values, 'value', 'values')}`, width)),
    '',
    total('accepted', counts.accepted, 'green'),
    ...kinds.map(([kind, { count, example }]) => entry(kind, count, example)),
    ...(derived > 0 ? [entry('from ACN', derived, 'of the abn above')] : []),
    ...(duplicates.count > 0 ? [entry('duplicates', duplicates.count, duplicates.example)] : []),
    '',
    total('rejected', counts.rejected, 'yellow'),
    ...reasons.flatMap(([code, { count, example }]) => [
      entry(code, count, example),
      ...note(`${rejectCatalog[code].message} ${rejectCatalog[code].fix}`),
    ]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function written(number: number): string {
  return number.toLocaleString('en');
}
