import { styleText } from 'node:util';
import { type RejectCode, rejectCatalog } from '../identify/rejects.ts';
import type { Count, TallyCounts } from './identify-tally.ts';

const defaultWidth = 80;
const narrowest = 40;
const widest = 120;
const noteIndent = '    ';

/** The counts as a table that fits the terminal; colours only where the stream takes them. */
export function renderTally(
  name: string,
  counts: TallyCounts,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  const width = Math.min(widest, Math.max(narrowest, (stream.columns || defaultWidth) - 1));
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream });
  const kinds = Object.entries(counts.kinds);
  const reasons = Object.entries(counts.reasons) as [RejectCode, Count][];
  const { duplicates, derived } = counts;

  const nameWidth = Math.max(...[...kinds, ...reasons].map(([label]) => label.length), 10) + 2;
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
    style('bold', shortened(`${name}: ${written(counts.values)} values`, width)),
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

/** One line that fits; control characters of a stranger's list must not reach the terminal. */
function shortened(text: string, width: number): string {
  const printable = text
    .slice(0, 4 * widest)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  const characters = [...printable];
  if (characters.length <= width) return printable;
  return `${characters.slice(0, Math.max(1, width - 1)).join('')}…`;
}

export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
