const scheme = /^([a-z][a-z0-9+.-]+:\/\/)/i;

/** What to do with places that people name most. */
const advice: Readonly<Record<string, { readonly advice: string; readonly isPlanned?: true }>> = {
  's3://': { advice: 'copy it (aws s3 cp) or mount the bucket', isPlanned: true },
  'https://': { advice: 'download it first (curl -O), or pipe it in', isPlanned: true },
  'http://': { advice: 'download it first (curl -O), or pipe it in' },
  'file://': { advice: 'leave file:// away' },
};

/** `s3://bucket/leads.csv → s3://`; undefined for a path of this machine. */
function schemeOf(path: string): string | undefined {
  return scheme.exec(path)?.[1];
}

/**
 * Why a path cannot be used that names another place; undefined where it can. As a path, `s3://bucket` would
 * be a folder called `s3:`, and what was written there would be missing elsewhere.
 */
export function notLocal(path: string): string | undefined {
  return notSupported(path, []);
}

/** The same where other places than this machine can be used, by their schemes. */
export function notSupported(path: string, schemes: readonly string[]): string | undefined {
  const found = schemeOf(path);
  if (found === undefined || schemes.includes(found.toLowerCase())) return undefined;
  const known = advice[found.toLowerCase()];
  return `${found} is not supported${known?.isPlanned ? ' yet' : ''}, only ${['paths of this machine', ...schemes].join(' and ')}: ${known?.advice ?? 'mount or copy it'}`;
}

/** An address as messages may show it, `https://user:secret@host/leads.csv?key=… → https://host/leads.csv`. */
export function shownPath(path: string): string {
  if (schemeOf(path) === undefined) return path;
  return path.replace(/[?#].*$/s, '').replace(/:\/\/[^/]*@/, '://');
}
