import { DossierError } from '../../errors.ts';

/** What a server that cannot listen on its port tells its user. */
export function asPortTrouble(error: NodeJS.ErrnoException, port: number): unknown {
  if (error.code === 'EADDRINUSE') {
    return new DossierError('ADDRESS_IN_USE', `port ${port} is in use`, { cause: error });
  }
  if (error.code === 'EACCES') {
    return new DossierError('ADDRESS_UNUSABLE', `port ${port} may not be used`, { cause: error });
  }
  return error;
}
