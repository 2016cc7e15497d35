export interface Problem {
  /** What the service says about the failure; empty where it says nothing. */
  readonly message: string;
  /** Its code, a number or a word, where it has one. */
  readonly code?: string;
  /** The message is the service's own and not a web page of something in between. */
  readonly isSpecific: boolean;
}

export const noProblem: Problem = { message: '', isSpecific: false };

/** Where services are known to put their words and their numbers, best first. */
const messageFields = ['message', 'error', 'error_description', 'detail', 'title', 'errors'];
const codeFields = ['code', 'error', 'statusCode', 'status'];

/**
 * Reads the failure out of a body: `{error: 400, message}` as documented, `{error: "text"}`,
 * `{error: {code, message}}`, bare text, a web page, or nothing.
 */
export function readProblem(json: unknown, text: string): Problem {
  if (json !== undefined) return readJsonProblem(json);
  const plain = text.trim();
  if (plain === '') return noProblem;
  if (!plain.startsWith('<')) return { message: plain, isSpecific: true };
  const title = /<(title|h1)[^>]*>([^<]*)</i.exec(plain)?.[2]?.trim() ?? '';
  return { message: title, isSpecific: false };
}

/** No service wraps its words deeper than this; an answer that does must not exhaust the stack. */
const deepest = 5;

function readJsonProblem(json: unknown, depth = 0): Problem {
  if (typeof json === 'string') return { message: json, isSpecific: true };
  if (!isRecord(json) || depth > deepest) return noProblem;
  // The inner object is the more precise one where an error is wrapped in another.
  const inner = isRecord(json.error) ? readJsonProblem(json.error, depth + 1) : noProblem;
  const message = inner.message || firstOf(json, messageFields, (value) => wordsOf(value, 0));
  const code = inner.code ?? firstOf(json, codeFields, codeOf);
  return { message, isSpecific: true, ...(code !== '' && { code }) };
}

function firstOf(
  json: Record<string, unknown>,
  fields: readonly string[],
  read: (value: unknown) => string,
): string {
  for (const field of fields) {
    const found = read(json[field]);
    if (found !== '') return found;
  }
  return '';
}

function wordsOf(value: unknown, depth: number): string {
  if (typeof value === 'string') return value.trim();
  if (depth > deepest) return '';
  const inner = (part: unknown) => wordsOf(part, depth + 1);
  if (Array.isArray(value)) return value.map(inner).filter(Boolean).join('; ');
  return isRecord(value) ? inner(value.message) : '';
}

function codeOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  // A code is one word; `{error: "Company profile not found"}` holds a message.
  return typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : '';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
