/**
 * JSON text of any value that came as JSON. JSON.parse reads nesting of any depth, but
 * JSON.stringify runs out of stack at a few thousand levels: such a value is written by
 * `deepJsonText`.
 */
export function jsonText(value: unknown): string {
  try {
    return replaceLoneSurrogates(JSON.stringify(value));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return replaceLoneSurrogates(deepJsonText(value));
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

/** Gives the text of JSON.stringify for nesting of any depth, with a stack of its own. */
function deepJsonText(root: unknown): string {
  const parts: string[] = [];
  // Text that is ready to be written, or a value that still has to be opened.
  const stack: ({ text: string } | { value: unknown })[] = [{ value: root }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if ('text' in next) {
      parts.push(next.text);
      continue;
    }
    const { value } = next;
    if (typeof value !== 'object' || value === null) {
      parts.push(JSON.stringify(value));
      continue;
    }
    const isList = Array.isArray(value);
    stack.push({ text: isList ? ']' : '}' });
    const entries = Object.entries(value);
    for (const [index, [key, inner]] of [...entries.entries()].reverse()) {
      const comma = index > 0 ? ',' : '';
      stack.push({ value: inner });
      stack.push({ text: isList ? comma : `${comma}${JSON.stringify(key)}:` });
    }
    parts.push(isList ? '[' : '{');
  }
  return parts.join('');
}
