import { DossierError } from '../core/errors.ts';

/** The file cannot be opened or its format is not supported. */
export function unreadable(message: string, options?: ErrorOptions): DossierError {
  return new DossierError('INPUT_UNREADABLE', message, options);
}

/** The file is readable but its content is wrong. */
export function invalid(message: string, options?: ErrorOptions): DossierError {
  return new DossierError('INPUT_INVALID', message, options);
}
