/** How often each name came, as plain JSON. Names beyond the limit are only counted together. */
export interface Counted {
  readonly names: readonly (readonly [name: string, count: number])[];
  readonly others: number;
}

/** A list of a million companies may have a million industries; a page shows a dozen. */
const mostNames = 2_000;
const longestName = 80;

export function openCounter() {
  const counts = new Map<string, number>();
  let others = 0;
  return {
    add(name: string): void {
      // Most names were counted before, and what is clipped once stays as it is.
      const key = counts.has(name) ? name : clipText(name, longestName);
      const known = counts.get(key);
      if (known === undefined && counts.size >= mostNames) others += 1;
      else counts.set(key, (known ?? 0) + 1);
    },
    facts: (): Counted => ({ names: [...counts], others }),
  };
}

/**
 * Text for a page: cut with an ellipsis, never through the middle of a character, and without the
 * signs that turn around the direction of whatever stands beside it.
 */
export function clipText(text: string, longest: number): string {
  const plain = text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '');
  if (plain.length <= longest) return plain;
  return `${plain.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
