const defaultWidth = 80;
const narrowest = 39;
const widest = 120;

/** Characters that a line may take: as the terminal is wide, or 80 where there is none. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return Math.min(widest, Math.max(narrowest, (stream.columns || defaultWidth) - 1));
}

/** One line that fits; control characters of a stranger's list must not reach the terminal. */
export function shortened(text: string, width: number): string {
  const printable = text
    .slice(0, 4 * widest)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  const characters = [...printable];
  if (characters.length <= width) return printable;
  return `${characters.slice(0, Math.max(1, width - 1)).join('')}…`;
}

/** Lines that fit, broken between words; a word that fits no line is broken, too. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((word) => pieces(word, width))) {
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
