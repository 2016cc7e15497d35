/** JSON.stringify overflows the stack at a few thousand levels. */
export function jsonText(value: unknown): string {
  try {
    return replaceLoneSurrogates(JSON.stringify(value));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return '"nested too deeply"';
  }
}

/** DuckDB and other programs reject JSON with escaped lone surrogates. */
function replaceLoneSurrogates(text: string) {
  if (!text.includes('\\ud')) return text;
  return text.replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd');
}
