import { DossierError } from '../../errors.ts';

/**
 * The ledger is not at its path any more. All that was stored in it is in a copy; the write that was
 * asked for is not done.
 */
export class LedgerLost extends DossierError {
  /** Path of the copy, which is a ledger like any other. */
  readonly rescuedTo: string;

  constructor(message: string, rescuedTo: string) {
    super('LEDGER_LOST', message);
    this.rescuedTo = rescuedTo;
  }
}
