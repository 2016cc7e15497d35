/** Correcting more keystrokes would be a guess, and slow. */
const mostKeystrokes = 4;

/** `pageSzie → pageSize`, `page_size → pageSize` */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const wanted = bare(word);
  if (wanted === '') return undefined;
  const most = wanted.length === 2 ? 1 : Math.min(mostKeystrokes, Math.floor(wanted.length / 3));
  for (let keystrokes = 0; keystrokes <= most; keystrokes += 1) {
    const nearest = candidates.find((candidate) => isWithin(wanted, bare(candidate), keystrokes));
    if (nearest !== undefined) return nearest;
  }
  return undefined;
}

function bare(word: string) {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function isWithin(from: string, to: string, keystrokes: number): boolean {
  if (from === to) return true;
  if (Math.abs(from.length - to.length) > keystrokes || keystrokes === 0) return false;
  const [first, second] = from;
  if (first === to[0]) return isWithin(from.slice(1), to.slice(1), keystrokes);
  const isSwap = first === to[1] && second === to[0];
  return (
    isWithin(from.slice(1), to, keystrokes - 1) ||
    isWithin(from, to.slice(1), keystrokes - 1) ||
    isWithin(from.slice(1), to.slice(1), keystrokes - 1) ||
    (isSwap && isWithin(from.slice(2), to.slice(2), keystrokes - 1))
  );
}
