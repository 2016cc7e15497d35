/** What a text of Redis says; undefined where it is no JSON, as another version may write. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
