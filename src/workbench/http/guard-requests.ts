import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pageHeaders } from '../../runtime/loopback/page-headers.ts';
import { isReadOnly } from '../jobs/find-job.ts';
import { reportPath } from './report-passes.ts';

/**
 * Lets in only the page itself. Another site may have a name that leads to this machine, and may send
 * requests to it from the user's own browser; another user of the machine reaches the port, too.
 */
export function guardRequests(app: FastifyInstance, token: string): void {
  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(pageHeaders);
    const refusal = refusalOf(request, token);
    if (refusal === undefined) return next();
    reply.code(refusal).type('text/plain').send('');
  });
}

/** What is posted because it may be too long for an address. */
const onlyReads = /^\/[^/]+\/api\/(?:rows|downloads)\?/;

function refusalOf(request: FastifyRequest, token: string): 403 | 404 | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  const port = request.socket.localPort;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 403;
  if (origin !== undefined && origin !== `http://${host}`) return 403;
  // The page itself may be opened from anywhere by those who know its address.
  const isPage = request.url === `/${token}/`;
  if (!isPage && site !== undefined && site !== 'same-origin' && site !== 'none') return 403;
  // A form of another site can post without asking, but not without naming where it comes from.
  if (request.method !== 'GET' && origin === undefined) return 403;
  if (request.method !== 'GET' && isReadOnly() && !onlyReads.test(request.url)) return 403;
  // A report has an address of its own, which cannot be guessed either.
  if (request.method === 'GET' && request.url.startsWith(reportPath)) return undefined;
  return isToken(request.url.split('/')[1] ?? '', token) ? undefined : 404;
}

function isToken(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
