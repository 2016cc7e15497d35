/** Tells how a run ends that crashed outside of everything that could have caught the error. */
export type LastWords = (error: unknown) => void;

let current: LastWords | undefined;

/** From here on a crash is told by these words. */
export function keepLastWords(words: LastWords): void {
  current = words;
}

/** No run has begun yet. */
export function forgetLastWords(): void {
  current = undefined;
}

/** False where no run has begun to speak. */
export function sayLastWords(error: unknown): boolean {
  const words = current;
  current = undefined;
  words?.(error);
  return words !== undefined;
}
