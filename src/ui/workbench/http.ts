import { timingSafeEqual } from 'node:crypto';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import { ZodError, z } from 'zod';
import {
  DossierError,
  explainFileLimit,
  messageOf,
  remedyOnPage,
  stackOf,
} from '../../core/errors.ts';
import { withoutSecrets } from '../../core/values/known-secrets.ts';
import { printable } from '../../core/values/printable.ts';
import type { ApiProblem } from './api/answers.ts';

const pageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Checks each request: other sites in the user's browser and other users can reach the port. */
export function guardedServer(token: string): FastifyInstance {
  const isRefused = (request: FastifyRequest, reply: FastifyReply): boolean => {
    reply.headers(pageHeaders);
    const refusal = refusalOf(request, token);
    if (refusal !== undefined) reply.code(refusal).type('text/plain').send('');
    return refusal !== undefined;
  };
  const app = fastify({
    bodyLimit: 1024 * 1024,
    forceCloseConnections: true,
    // Fastify calls no hook for a URL that it cannot decode.
    frameworkErrors: (error, request, reply) => {
      if (!isRefused(request, reply)) sendProblem(reply, error);
    },
  });
  app.addHook('onRequest', (request, reply, next) => {
    if (!isRefused(request, reply)) next();
  });
  app.setErrorHandler((error, request, reply) => {
    // Work that stopped because the browser left is not a bug.
    const isGone = reply.raw.destroyed;
    if (problemOf(error).code === 'BUG' && !isGone) printBug(error, request);
    sendProblem(reply, error);
  });
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, new DossierError('USAGE', 'this URL does not exist'), 404),
  );
  return app;
}

/** A report needs no token: its address cannot be guessed. */
export const reportPath = '/report/';

function refusalOf(request: FastifyRequest, token: string): 403 | 404 | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  const port = request.socket.localPort;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 403;
  if (origin !== undefined && origin !== `http://${host}`) return 403;
  if (request.method === 'GET' && request.url.startsWith(reportPath)) return undefined;
  // The page itself may be opened by a link from anywhere.
  const isPage = request.url === `/${token}/`;
  if (!isPage && site !== undefined && site !== 'same-origin' && site !== 'none') return 403;
  // Browsers send an origin with every POST, so a POST without one does not come from the page.
  if (request.method !== 'GET' && origin === undefined) return 403;
  return isToken(request.url.split('/')[1] ?? '', token) ? undefined : 404;
}

function isToken(text: string, token: string) {
  const [one, other] = [Buffer.from(text), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function sendProblem(reply: FastifyReply, error: unknown, status = statusOf(error)) {
  reply.code(status).send(problemOf(error));
}

export function problemOf(thrown: unknown): ApiProblem {
  const error = explainFileLimit(thrown);
  if (error instanceof DossierError) {
    const remedy = remedyOnPage(error.code);
    return { code: error.code, message: printable(withoutSecrets(error.message)), remedy };
  }
  const message = messageOf(error);
  if (error instanceof ZodError || isRefusedByFastify(error)) {
    const text = error instanceof ZodError ? z.prettifyError(error) : message;
    return { code: 'USAGE', message: text, remedy: remedyOnPage('USAGE') };
  }
  return {
    code: 'BUG',
    message: withoutSecrets(message),
    remedy: 'See the terminal of `dossier ui` for details. No paid answer is lost.',
  };
}

function isRefusedByFastify(error: unknown) {
  return error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500;
}

function printBug(error: unknown, { method, routeOptions }: FastifyRequest) {
  // The first part of the path is the page's secret.
  const request = `${method} ${(routeOptions.url ?? '').split('/').slice(2).join('/')}`;
  process.stderr.write(
    `This is a bug in Dossier, caused by ${request}; please report it.\n${printable(withoutSecrets(stackOf(error)))}\n`,
  );
}

function statusOf(error: unknown) {
  if (error instanceof DossierError) return 422;
  if (error instanceof ZodError) return 400;
  return (error as FastifyError).statusCode ?? 500;
}

/** Aborts when the page no longer waits for the answer. */
export function untilGone({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  raw.on('close', () => leaving.abort());
  return leaving.signal;
}
