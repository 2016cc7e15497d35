import { DossierError } from '../core/errors.ts';

/** The file cannot be opened, or is not of a kind that can be read. */
export function unreadable(message: string, options?: ErrorOptions): DossierError {
  return new DossierError('INPUT_UNREADABLE', message, options);
}

/** The file can be read, and what it says is wrong. */
export function invalid(message: string, options?: ErrorOptions): DossierError {
  return new DossierError('INPUT_INVALID', message, options);
}

/** A failure that may have passed when the list is requested again. */
export class PassingFailure extends DossierError {
  constructor({ code, message, cause }: DossierError) {
    super(code, message, { cause });
  }
}
