import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ZodError, z } from 'zod';
import { DossierError, remedyOnPage, withoutFiles } from '../../errors.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import { printable } from '../../runtime/printable.ts';
import type { ApiProblem } from '../api/problem.ts';

/** Answers every error in the form of {@link ApiProblem}. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    // Who has left hears no answer, and what was given up for it is no bug.
    const isGone = reply.raw.destroyed;
    if (problemOf(error).code === 'BUG' && !isGone) tellTerminal(error, request);
    sendProblem(reply, error);
  });
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(
      reply,
      new DossierError('USAGE', 'the page asks for something that is not here'),
      404,
    ),
  );
}

function sendProblem(reply: FastifyReply, error: unknown, status = statusOf(error)): void {
  reply.code(status).send(problemOf(error));
}

export function problemOf(thrown: unknown): ApiProblem {
  const error = withoutFiles(thrown);
  if (error instanceof DossierError) {
    const remedy = remedyOnPage(error.code);
    return { code: error.code, message: withoutSecrets(error.message), remedy };
  }
  if (error instanceof ZodError) {
    return { code: 'USAGE', message: z.prettifyError(error), remedy: remedyOnPage('USAGE') };
  }
  if (isRefusal(error)) {
    return { code: 'USAGE', message: error.message, remedy: remedyOnPage('USAGE') };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'BUG',
    message: withoutSecrets(message),
    remedy:
      'The terminal that Dossier was started in says more. Nothing that was paid for is lost.',
  };
}

/** Fastify refuses a request that is no JSON, too long or the like. */
function isRefusal(error: unknown): error is FastifyError {
  return error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500;
}

/** Where the page can only say that something is wrong, the terminal of `dossier ui` gets its trace. */
function tellTerminal(error: unknown, { method, routeOptions }: FastifyRequest): void {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // The first part of the path is the secret of the page.
  const asked = `${method} ${(routeOptions.url ?? '').split('/').slice(2).join('/')}`;
  process.stderr.write(
    `This is a bug in Dossier, met by ${asked}; please report it.\n${printable(withoutSecrets(trace))}\n`,
  );
}

function statusOf(error: unknown): number {
  if (error instanceof DossierError) return 422;
  if (error instanceof ZodError) return 400;
  return (error as FastifyError).statusCode ?? 500;
}
