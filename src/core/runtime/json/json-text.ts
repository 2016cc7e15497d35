/**
 * JSON.parse reads any depth, but JSON.stringify overflows the stack at a few thousand levels. The ledger
 * still has the value.
 */
export function jsonText(value: unknown): string {
  try {
    return replaceLoneSurrogates(JSON.stringify(value));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return '"nested too deeply"';
  }
}

/**
 * JSON.stringify writes lone surrogates as escapes, which DuckDB and others reject. UTF-8 would have
 * U+FFFD, so this uses it too.
 */
function replaceLoneSurrogates(text: string): string {
  if (!text.includes('\\ud')) return text;
  return text.replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd');
}
