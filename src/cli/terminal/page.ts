import { isAbsolute } from 'node:path';
import { styleText } from 'node:util';
import {
  bytesText,
  formatNumber,
  fromHere,
  minuteOf,
  shortened,
  widthOf,
  wrapped,
} from './text.ts';

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

/**
 * A sentence, or a label with its value. What is false, null or undefined is left out; a line that begins with blanks
 * is a command to copy, and stays whole.
 */
type Line =
  | string
  | false
  | null
  | undefined
  | readonly [label: string, value: string | number | false | null | undefined, color?: Style];

/** Lays text out for a stream: as wide as its terminal, in colour where it takes colours. */
export type Page = ReturnType<typeof pageFor>;

const gap = '  ';
/** Text is not cut below this many characters. */
const narrowestCell = 8;

export function pageFor(stream: NodeJS.WriteStream) {
  const width = widthOf(stream);
  const style = (format: Style, text: string) => styleText(format, text, { stream });
  /** A label and its value, which goes on below itself where the terminal is narrow. */
  const field = (label: string, value: string, labelWidth = 16, format?: Style) =>
    wrapped(value, width - labelWidth).map(
      (line, index) =>
        (index === 0 ? label : '').padEnd(labelWidth) + (format ? style(format, line) : line),
    );
  const wrap = (text: string, indent = '', format?: Style) =>
    field(indent, text, indent.length, format);
  return {
    width,
    style,
    bold: (text: string) => style('bold', text),
    dim: (text: string) => style('dim', text),
    wrap,
    field,
    /** Many fields and sentences, one below the other. */
    fields: (lines: readonly Line[], labelWidth?: number, indent = '') =>
      lines.flatMap((line) => {
        if (typeof line === 'string') return line.startsWith(' ') ? line : wrap(line, indent);
        const [label, value, color] = line || [];
        if (label === undefined || value === undefined || value === null || value === false)
          return [];
        return field(
          indent + label,
          typeof value === 'number' ? formatNumber(value) : value,
          labelWidth,
          color,
        );
      }),
    /** Cells in columns. A table with titles that is still too wide has a field for each cell. */
    table(rows: readonly (readonly string[])[], options: TableOptions = {}): string[] {
      const { numbers = [], hasTitle, indent = '', isCut = true, paint = String } = options;
      const [titles = [], ...others] = rows;
      const widths = titles.map((_, at) => Math.max(...rows.map((row) => lengthOf(row[at] ?? ''))));
      let over = indent.length + gap.length * (widths.length - 1) - width;
      for (const columnWidth of widths) over += columnWidth;
      for (; isCut && over > 0; over -= 1) {
        const texts = widths.map((some, at) => (numbers.includes(at) ? 0 : some));
        const longest = Math.max(...texts);
        if (longest <= narrowestCell) break;
        widths[texts.indexOf(longest)] = longest - 1;
      }
      if (hasTitle && over > 0) {
        const labelWidth = Math.max(...titles.map(lengthOf)) + gap.length;
        return others.flatMap((row) => [
          ...row.flatMap((cell, at) => field(titles[at] ?? '', cell, labelWidth)),
          '',
        ]);
      }
      return rows.map((row, index) => {
        const cells = row.map((cell, at) => {
          const columnWidth = widths[at] ?? 0;
          const shown = lengthOf(cell) > columnWidth ? shortened(cell, columnWidth) : cell;
          const blanks = ' '.repeat(columnWidth - lengthOf(shown));
          return paint(numbers.includes(at) ? blanks + shown : shown + blanks, index, at);
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

/** Any facts for people: a label and its value a line, lists as tables. What is null or empty is left out. */
export const factsText = (facts: object, page: Page) => factsLines(facts, page, '');

function factsLines(facts: object, page: Page, within: string): string[] {
  const indent = within === '' ? '' : '  ';
  return Object.entries(facts).flatMap(([name, value]): string[] => {
    if (value === null || value === undefined || value.length === 0) return [];
    if (typeof value !== 'object' || typeof value[0] === 'string') {
      return page.field(`${indent}${titleOf(name)}`, valueText(value, `${within} ${name}`), 18);
    }
    const lines = Array.isArray(value) ? factsTable(value, page) : factsLines(value, page, name);
    return ['', page.bold(titleOf(name)), ...lines];
  });
}

function factsTable(items: readonly object[], page: Page): string[] {
  const titles = Object.keys(items[0] ?? {}).map(titleOf);
  const cells = items.map((item) =>
    Object.entries(item).map(([name, value]) => valueText(value, name)),
  );
  return page.table([titles, ...cells], { hasTitle: true, isCut: false, indent: '  ' });
}

/** `oldestRunAt → oldest run at` */
function titleOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function valueText(value: unknown, name: string): string {
  if (typeof value === 'number') {
    return /bytes/i.test(name) ? bytesText(value) : formatNumber(value);
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value ?? '');
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return minuteOf(Date.parse(text));
  return isAbsolute(text) ? fromHere(text) : text;
}
