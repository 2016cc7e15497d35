export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A list that was written within this time before it was sent may be written again in the same second. */
const settledMs = 60_000;

/**
 * Tells one version of a list from another by what its server says. A strong ETag is of these very bytes; a
 * weak one is not, so that a list that has one is read to see. Without any, time and size will do, as
 * they do for a file.
 */
export function webStamp(shown: string, headers: Headers): string | undefined {
  const etag = headerOf(headers, 'etag');
  if (etag !== undefined) return /^"[^"]*"$/.test(etag) ? stampOfTag(shown, etag) : undefined;
  const modified = headerOf(headers, 'last-modified');
  const size = headerOf(headers, 'content-length');
  if (modified === undefined || size === undefined) return undefined;
  const sentAt = Date.parse(headerOf(headers, 'date') ?? '');
  return sentAt - Date.parse(modified) >= settledMs
    ? `${shown} modified ${modified} ${size}`
    : undefined;
}

export function stampOfTag(shown: string, etag: string): string {
  return `${shown} etag ${etag}`;
}

/** The ETag in a stamp of this list. */
export function tagOfStamp(shown: string, stamp: string): string | undefined {
  const start = stampOfTag(shown, '');
  return stamp.startsWith(start) ? stamp.slice(start.length).split(' ')[0] : undefined;
}

/** One header; several of a name make none. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
