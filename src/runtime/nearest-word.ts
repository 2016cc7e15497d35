/**
 * The candidate that the writer of `word` most likely meant: the same but for case, hyphens
 * and underscores, or few keystrokes away (`pageSzie → pageSize`, `page_size → pageSize`).
 */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const wanted = bare(word);
  if (wanted === '') return undefined;
  let nearest: string | undefined;
  // A third of the letters may differ; more, and the suggestion would be a guess.
  let fewest = Math.floor(wanted.length / 3) + 1;
  for (const candidate of candidates) {
    const keystrokes = editDistance(wanted, bare(candidate), fewest);
    if (keystrokes < fewest) [nearest, fewest] = [candidate, keystrokes];
  }
  return nearest;
}

function bare(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Insertions, deletions, replacements and swaps of neighbours; `limit` when there are as many. */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : limit,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return Math.min(limit, at(last, to.length));
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
