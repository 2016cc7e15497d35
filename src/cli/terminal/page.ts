import { styleText } from 'node:util';
import { shortened, widthOf, wrapped } from './text.ts';

type Style = Parameters<typeof styleText>[0];

interface TableOptions {
  /** Columns of numbers, which stand to the right and are never cut. */
  readonly numbers?: readonly number[];
  /** The first row names the columns. */
  readonly hasTitle?: boolean;
  readonly indent?: string;
  /** Paths are not cut: people copy them. */
  readonly isCut?: boolean;
  /** Colours a cell, which has its width already. */
  readonly paint?: (cell: string, row: number, column: number) => string;
}

/** Lays text out for a stream: as wide as its terminal, in colour where it takes colours. */
export type Page = ReturnType<typeof pageFor>;

const gap = '  ';
/** Text is not cut below this many characters. */
const narrowestCell = 8;

export function pageFor(stream: NodeJS.WriteStream) {
  const width = widthOf(stream);
  const style = (format: Style, text: string) => styleText(format, text, { stream });
  const wrap = (text: string, indent = '', format?: Style) =>
    wrapped(text, width - indent.length).map(
      (line) => indent + (format ? style(format, line) : line),
    );
  return {
    stream,
    width,
    style,
    bold: (text: string) => style('bold', text),
    dim: (text: string) => style('dim', text),
    wrap,
    /** A label and its value, which goes on below itself where the terminal is narrow. */
    field(label: string, value: string, labelWidth = 16, format?: Style): string[] {
      return wrapped(value, width - labelWidth).map(
        (line, index) =>
          (index === 0 ? label : '').padEnd(labelWidth) + (format ? style(format, line) : line),
      );
    },
    table(rows: readonly (readonly string[])[], options: TableOptions = {}): string[] {
      const {
        numbers = [],
        hasTitle = false,
        indent = '',
        isCut = true,
        paint = (cell) => cell,
      } = options;
      const widths = (rows[0] ?? []).map((_, at) =>
        Math.max(...rows.map((row) => lengthOf(row[at] ?? ''))),
      );
      const room = width - indent.length - gap.length * (widths.length - 1);
      for (let over = sum(widths) - room; isCut && over > 0; over -= 1) {
        const texts = widths.map((some, at) => (numbers.includes(at) ? 0 : some));
        const longest = Math.max(...texts);
        if (longest <= narrowestCell) break;
        widths[texts.indexOf(longest)] = longest - 1;
      }
      return rows.map((row, index) => {
        const cells = row.map((cell, at) => {
          const columnWidth = widths[at] ?? 0;
          const shown = lengthOf(cell) > columnWidth ? shortened(cell, columnWidth) : cell;
          const blanks = ' '.repeat(columnWidth - lengthOf(shown));
          const isLast = at === row.length - 1;
          const padded = numbers.includes(at) ? blanks + shown : shown + (isLast ? '' : blanks);
          return paint(padded, index, at);
        });
        const line = (indent + cells.join(gap)).trimEnd();
        return hasTitle && index === 0 ? style('bold', line) : line;
      });
    },
  };
}

function lengthOf(text: string): number {
  return [...text].length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
