import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { ZodError, z } from 'zod';
import { DossierError, errorCatalog, withoutFiles } from '../../errors.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import type { ApiProblem } from '../api/problem.ts';

/** Answers every error in the form of {@link ApiProblem}. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, error));
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
    const { remedy } = errorCatalog[error.code];
    return { code: error.code, message: withoutSecrets(error.message), remedy };
  }
  if (error instanceof ZodError) {
    return { code: 'USAGE', message: z.prettifyError(error), remedy: 'Load the page again.' };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'BUG',
    message: withoutSecrets(message),
    remedy:
      'The terminal that Dossier was started in says more. Nothing that was paid for is lost.',
  };
}

function statusOf(error: unknown): number {
  if (error instanceof DossierError) return 422;
  if (error instanceof ZodError) return 400;
  return (error as FastifyError).statusCode ?? 500;
}
