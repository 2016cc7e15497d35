/** A blank parameter counts as absent: many callers send every field, filled or not. */
export function withoutBlanks(given: Record<string, unknown>): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const isBlank = value === null || (typeof value === 'string' && value.trim() === '');
    if (!isBlank) filled[name] = value;
  }
  return filled;
}
