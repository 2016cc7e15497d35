import { printable } from '../../runtime/printable.ts';

const defaultWidth = 80;
const narrowest = 39;
const widest = 120;

/** How many characters fit a line: by the width of the terminal, or of 80 columns without one. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return Math.min(widest, Math.max(narrowest, (stream.columns || defaultWidth) - 1));
}

/** Cuts a text to one line. Control characters go: a list from outside could steer the terminal. */
export function shortened(text: string, width: number): string {
  const printable = text
    .slice(0, 4 * widest)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  const characters = [...printable];
  if (characters.length <= width) return printable;
  return `${characters.slice(0, Math.max(1, width - 1)).join('')}…`;
}

/** Wraps a text between words; a word that is longer than a line is broken. Styles are put on afterwards. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of printable(text)
    .split(' ')
    .flatMap((word) => pieces(word, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function pieces(word: string, width: number): string[] {
  const characters = [...word];
  if (characters.length <= width) return [word];
  const count = Math.ceil(characters.length / width);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * width, (index + 1) * width).join(''),
  );
}
