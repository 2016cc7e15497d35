import { type ErrorFacts, errorCatalog } from './errors/catalog.ts';

export { errorCatalog };

export type ErrorCode = keyof typeof errorCatalog;

/** What to do next for somebody who has buttons and fields in the place of commands and flags. */
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

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The same error with a sentence more; its message may be a sentence already, as those of a service are. */
export function withSentence(error: DossierError, sentence: string): DossierError {
  const end = /[.!?]$/.test(error.message) ? '' : '.';
  return new DossierError(error.code, `${error.message}${end} ${sentence}`, { cause: error });
}

/**
 * Ends a call whose request had left when the run was stopped, and that brought no whole answer: it may
 * have been charged. The cause is what stopped the run.
 */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';

  constructor(cause: unknown) {
    super('the run was stopped before the answer came', { cause });
  }
}

/** Stands in the place of a code where a run has finished, and its result is held. */
export const heldReason = 'HELD';

/** The code with which a process ends that this was thrown in; what we did not foresee is a bug. */
export function exitCodeOf(thrown: unknown): number {
  const error = withoutFiles(thrown);
  return error instanceof DossierError ? errorCatalog[error.code].exitCode : 1;
}

/** The code of what ended a command, for scripts: one of the catalogue, or `BUG`. */
export function reasonOf(thrown: unknown): ErrorCode | 'BUG' {
  const error = withoutFiles(thrown);
  return error instanceof DossierError ? error.code : 'BUG';
}

/** Names a lack of open files as the cause: it may hit any place that opens a file, and each says less. */
export function withoutFiles(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!/\bE[MN]FILE\b|too many open files/i.test(cause.message)) continue;
    const message = `this process may open no more files and sockets: ${cause.message}`;
    return new DossierError('FILES_EXHAUSTED', message, { cause: error });
  }
  return error;
}
