/** A cache of answers by the URL of the request. */
export interface RecentAnswers {
  get(url: string): Buffer | undefined;
  keep(url: string, answer: Buffer): void;
}

const defaultMaxBytes = 32 * 1024 * 1024;
/** The set of URLs that were requested once is cleared when it has this many. */
const maxRequestedOnce = 10_000;

/**
 * Caches answers until the store changes; above `maxBytes` the oldest are dropped. Reading a company
 * from SQLite takes longer than the rest of a lookup, HTTP aside, and a list that is run again asks
 * for the same companies. An answer is cached at its second request: a list that asks once for each
 * company would fill the cache with answers that are never used.
 */
export function recentAnswers(
  storeVersion: () => number,
  { maxBytes = defaultMaxBytes } = {},
): RecentAnswers {
  const answers = new Map<string, Buffer>();
  const requestedOnce = new Set<string>();
  let usedBytes = 0;
  let version = storeVersion();

  const clearIfChanged = () => {
    const current = storeVersion();
    if (current === version) return;
    version = current;
    answers.clear();
    usedBytes = 0;
  };

  return {
    get(url) {
      clearIfChanged();
      return answers.get(url);
    },
    keep(url, answer) {
      clearIfChanged();
      if (!requestedOnce.delete(url)) {
        if (requestedOnce.size >= maxRequestedOnce) requestedOnce.clear();
        requestedOnce.add(url);
        return;
      }
      if (answers.has(url) || sizeOf(url, answer) > maxBytes) return;
      answers.set(url, answer);
      usedBytes += sizeOf(url, answer);
      for (const [oldUrl, oldAnswer] of answers) {
        if (usedBytes <= maxBytes) break;
        answers.delete(oldUrl);
        usedBytes -= sizeOf(oldUrl, oldAnswer);
      }
    },
  };
}

function sizeOf(url: string, answer: Buffer): number {
  return url.length + answer.length;
}
