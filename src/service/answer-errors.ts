import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { stackOf } from '../core/errors.ts';
import { type ProblemCode, problems, statusOf } from '../engine/providers/company-data/problem.ts';
import type { Log } from '../platform/log.ts';

/** Fastify errors that the client caused. All other errors are bugs in the service. */
const problemOfFastify: Record<string, ProblemCode> = {
  // The client closed the connection before the end of the body.
  ECONNRESET: 'REQUEST_MALFORMED',
  FST_ERR_BAD_URL: 'URL_MALFORMED',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'BODY_NOT_JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'BODY_NOT_JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'REQUEST_MALFORMED',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'BODY_TYPE_UNSUPPORTED',
};

export function answerErrors(
  app: FastifyInstance,
  sendProblem: ReturnType<typeof problemSender>,
): void {
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) => {
    const url = request.url.split('?', 1)[0]?.replace(/(.)\/$/, '$1') ?? '';
    const allowed = ['GET', 'HEAD', 'POST'].filter((method) => app.hasRoute({ method, url }));
    if (allowed.length === 0) throw new ServiceProblem('PATH_UNKNOWN');
    reply.header('allow', allowed.join(', '));
    throw new ServiceProblem('METHOD_NOT_ALLOWED');
  });
}

export function problemSender(log: Log) {
  return (error: unknown, _request: FastifyRequest, reply: FastifyReply): void => {
    const code = problemOf(error);
    if (code === 'INTERNAL') log.error({ error: stackOf(error) }, 'request.failed');
    if (code === 'KEY_MISSING' || code === 'KEY_WRONG') reply.header('www-authenticate', 'Bearer');
    // Headers are also set here, because no hook runs for a malformed URL.
    reply.headers(securityHeaders).code(statusOf(code)).send(problems[code]);
  };
}

function problemOf(error: unknown): ProblemCode {
  if (error instanceof ServiceProblem) return error.code;
  return problemOfFastify[(error as Partial<FastifyError>)?.code ?? ''] ?? 'INTERNAL';
}

export class ServiceProblem extends Error {
  override readonly name = 'ServiceProblem';
  readonly code: ProblemCode;

  constructor(code: ProblemCode) {
    super(problems[code].message);
    this.code = code;
  }
}

export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;
