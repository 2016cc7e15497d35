import { type ErrorFacts, errorCatalog } from './errors/catalog.ts';

export { errorCatalog };

export type ErrorCode = keyof typeof errorCatalog;

export function remedyOnPage(code: ErrorCode): string {
  const { remedy, onPage = remedy }: ErrorFacts = errorCatalog[code];
  return onPage;
}

export function isErrorCode(text: string | null): text is ErrorCode {
  return text !== null && Object.hasOwn(errorCatalog, text);
}

export class DossierError extends Error {
  override readonly name = 'DossierError';
  readonly code: ErrorCode;
  readonly remedy: string;

  constructor(
    code: ErrorCode,
    message: string,
    {
      remedy = errorCatalog[code].remedy,
      ...options
    }: ErrorOptions & { remedy?: string | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.remedy = remedy;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export function withSentence(error: DossierError, sentence: string): DossierError {
  const end = /[.!?]$/.test(error.message) ? '' : '.';
  const { code, message, remedy } = error;
  return new DossierError(code, `${message}${end} ${sentence}`, { cause: error, remedy });
}

/** The call may have been charged. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';

  constructor(cause: unknown) {
    super('the run was stopped before the answer arrived', { cause });
  }
}

/** The reason of a finished run whose result is held, in place of an error code. */
export const heldReason = 'HELD';

export function exitCodeOf(thrown: unknown): number {
  const error = explainFileLimit(thrown);
  return error instanceof DossierError ? errorCatalog[error.code].exitCode : 1;
}

export function reasonOf(thrown: unknown): ErrorCode | 'BUG' {
  const error = explainFileLimit(thrown);
  return error instanceof DossierError ? error.code : 'BUG';
}

export function explainFileLimit(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!/\bE[MN]FILE\b|too many open files/i.test(cause.message)) continue;
    const message = `this process has reached its limit on open files and sockets: ${cause.message}`;
    return new DossierError('FILES_EXHAUSTED', message, { cause: error });
  }
  return error;
}
