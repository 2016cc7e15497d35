/** A number of JSON that keeps the text it was written with. */
export interface RawJson {
  readonly rawJSON: string;
}

// Node has both functions; the types of TypeScript's library lack them.
export const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

/** The cell of a value: a text as it is, anything else as JSON writes it. */
export function jsonCell(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  return isRawJSON(value) ? value.rawJSON : JSON.stringify(value);
}
