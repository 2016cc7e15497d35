const scheme = /^([a-z][a-z0-9+.-]+:\/\/)/i;

/** `s3://bucket/leads.csv → s3://`; undefined for a path of this machine. */
function schemeOf(path: string): string | undefined {
  return scheme.exec(path)?.[1];
}

/**
 * Why a path cannot be used that names another place; undefined where it can. As a path, `s3://bucket` would
 * be a folder called `s3:`, and what was written there would be missing elsewhere.
 */
export function notLocal(path: string): string | undefined {
  const found = schemeOf(path);
  if (found === undefined) return undefined;
  const advice = found.toLowerCase() === 'file://' ? 'leave file:// away' : 'mount or copy it';
  return `${found} is not supported, only paths of this machine: ${advice}`;
}
