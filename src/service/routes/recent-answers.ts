/** Answers that were sent not long ago, by the address that asked for them. */
export interface RecentAnswers {
  get(url: string): Buffer | undefined;
  keep(url: string, answer: Buffer): void;
}

const mostBytes = 32 * 1024 * 1024;
/** Addresses that were asked for once are forgotten together when they are this many. */
const mostAskedOnce = 10_000;

/**
 * Remembers answers while the store stays as it is, the oldest going first when there is no room.
 * Reading a company from SQLite and copying its bytes takes longer than all else that a lookup
 * does beyond HTTP, and lists that are tried again and again ask for the same companies. An answer
 * is kept when it is asked for a second time: a list that asks for each company once would only
 * push through thousands of answers that nobody wants again.
 */
export function recentAnswers(
  storeVersion: () => number,
  { roomBytes = mostBytes } = {},
): RecentAnswers {
  const answers = new Map<string, Buffer>();
  const askedOnce = new Set<string>();
  let usedBytes = 0;
  let version = storeVersion();

  const forgetIfChanged = () => {
    const current = storeVersion();
    if (current === version) return;
    version = current;
    answers.clear();
    usedBytes = 0;
  };

  return {
    get(url) {
      forgetIfChanged();
      return answers.get(url);
    },
    keep(url, answer) {
      forgetIfChanged();
      if (!askedOnce.delete(url)) {
        if (askedOnce.size >= mostAskedOnce) askedOnce.clear();
        askedOnce.add(url);
        return;
      }
      if (answers.has(url) || sizeOf(url, answer) > roomBytes) return;
      answers.set(url, answer);
      usedBytes += sizeOf(url, answer);
      for (const [oldUrl, oldAnswer] of answers) {
        if (usedBytes <= roomBytes) break;
        answers.delete(oldUrl);
        usedBytes -= sizeOf(oldUrl, oldAnswer);
      }
    },
  };
}

function sizeOf(url: string, answer: Buffer): number {
  return url.length + answer.length;
}
