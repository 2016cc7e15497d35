/** Drops blank parameters: many clients send every field, filled or not. */
export function withoutBlanks(given: Record<string, unknown>): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const name of Object.keys(given)) {
    const value = given[name];
    const isBlank = value === null || (typeof value === 'string' && value.trim() === '');
    if (!isBlank) filled[name] = value;
  }
  return filled;
}
