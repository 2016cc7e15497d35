import { DossierError, type ErrorCode } from '../errors.ts';

/** An error on its way from one thread to the other. */
export type ThreadError =
  | { readonly kind: 'dossier'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string };

export function packError(error: unknown): ThreadError {
  if (error instanceof DossierError) {
    return { kind: 'dossier', code: error.code, message: error.message };
  }
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'bug', message, stack };
}

/** The error that was packed, with its code, which decides how the run ends. */
export function unpackError(error: ThreadError): Error {
  if (error.kind === 'dossier') return new DossierError(error.code, error.message);
  return Object.assign(new Error(error.message), { stack: error.stack });
}
