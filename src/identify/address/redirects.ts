interface Redirect {
  readonly host: RegExp;
  readonly path: RegExp;
  readonly parameters: readonly string[];
}

/** URLs that only redirect to another URL, which stands in one of their parameters. */
const redirects: readonly Redirect[] = [
  { host: /(?:^|\.)google\.[a-z.]{2,6}$/, path: /^\/url$/, parameters: ['q', 'url'] },
  {
    host: /(?:^|\.)linkedin\.(?:com|cn)$/,
    path: /^\/(?:[a-z-]+\/)?(?:authwall|login|signup|uas|checkpoint|start|redir|safety)(?:\/|$)/,
    parameters: ['sessionRedirect', 'session_redirect', 'url', 'redirect'],
  },
  { host: /^lm?\.(?:facebook|instagram)\.com$/, path: /^\//, parameters: ['u'] },
  { host: /\.safelinks\.protection\.outlook\.com$/, path: /^\//, parameters: ['url'] },
  { host: /^(?:www\.)?duckduckgo\.com$/, path: /^\/l\/?$/, parameters: ['uddg'] },
];

/** The URL that a redirecting URL leads to; null when it does not redirect. */
export function redirectTarget(host: string, rest: string): string | null {
  if (!rest.includes('=')) return null;
  const redirect = redirects.find((entry) => entry.host.test(host));
  if (redirect === undefined) return null;
  const url = URL.parse(`https://${host}${rest}`);
  if (url === null || !redirect.path.test(url.pathname.toLowerCase())) return null;
  for (const name of redirect.parameters) {
    const target = url.searchParams.get(name)?.trim();
    if (target) return target;
  }
  return null;
}
