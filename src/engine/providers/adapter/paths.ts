/** Names and indexes with dots between them. Nothing that can run. */
export const pathPattern = /^[^.\s{}()[\]*?]+(?:\.[^.\s{}()[\]*?]+)*$/;

export function partsOf(path: string): string[] {
  return path === '' ? [] : path.split('.');
}

/** `valueAt({ sites: [{ url: 'a' }] }, ['sites', '0', 'url']) → 'a'` */
export function valueAt(json: unknown, parts: readonly string[]): unknown {
  let value = json;
  for (const part of parts) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

export function isEmpty(value: unknown): boolean {
  if (value == null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
