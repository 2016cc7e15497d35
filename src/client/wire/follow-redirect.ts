import type { HttpAnswer, HttpRequest } from './exchange.ts';

export type RedirectStep =
  | { readonly kind: 'stay' }
  | { readonly kind: 'follow'; readonly request: HttpRequest }
  | { readonly kind: 'refuse'; readonly reason: string };

const redirections = [301, 302, 303, 307, 308];

/**
 * Where an answer sends us. Only another path of the same scheme, host and port is followed: the
 * request carries the key, and no other host may see the key.
 */
export function followRedirect(request: HttpRequest, answer: HttpAnswer): RedirectStep {
  const { status } = answer;
  if (!redirections.includes(status)) return { kind: 'stay' };
  const location = answer.headers.location;
  const asked = request.origin + request.path;
  if (typeof location !== 'string' || !URL.canParse(location, asked)) {
    return { kind: 'refuse', reason: `HTTP ${status} without a readable Location` };
  }
  const url = new URL(location, asked);
  if (url.origin !== request.origin) {
    return { kind: 'refuse', reason: `HTTP ${status} to another host, ${url.origin}` };
  }
  if (status < 307 && request.method !== 'GET') {
    // Browsers would drop the body and ask with GET: a different question.
    return { kind: 'refuse', reason: `HTTP ${status} in answer to a POST` };
  }
  return { kind: 'follow', request: { ...request, path: url.pathname + url.search } };
}
