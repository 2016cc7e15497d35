/**
 * JSON text of any value that came as JSON. JSON.parse reads nesting of any depth, but
 * JSON.stringify runs out of stack at a few thousand levels. The ledger still has such a value.
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
 * JSON.stringify keeps half of a surrogate pair as an escape, which DuckDB and others refuse as
 * JSON. In UTF-8 it would be U+FFFD, so it is that here too.
 */
function replaceLoneSurrogates(text: string): string {
  if (!text.includes('\\ud')) return text;
  return text.replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd');
}
