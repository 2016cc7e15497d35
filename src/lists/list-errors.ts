import { DossierError } from '../core/errors.ts';

export function unreadable(message: string, options?: ErrorOptions): DossierError {
  return new DossierError('INPUT_UNREADABLE', message, options);
}

export function invalid(message: string, options?: ErrorOptions): DossierError {
  return new DossierError('INPUT_INVALID', message, options);
}
