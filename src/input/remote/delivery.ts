import type { DossierError } from '../../errors.ts';

/** A list on its way from another machine. */
export interface Delivery {
  /** Tells it from another version of the list; undefined where only reading can tell. */
  readonly stamp: string | undefined;
  /** As announced; undefined where the end of the list is marked in another way. */
  readonly sizeBytes: number | undefined;
  /** The sender may have compressed what is compressed already, or not. */
  readonly isEncoded: boolean;
  /** Where another address than the one that was asked has sent it. */
  readonly sentBy: string | undefined;
  /** Fails unless it is whole: no cut connection passes for the end of the list. */
  readonly bytes: AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** A trouble that may have passed when the list is asked for again. */
export class PassingTrouble extends Error {
  override readonly name = 'PassingTrouble';
  /** What it is where it does not pass. */
  readonly trouble: DossierError;
  /** How long the other side wants to be left alone. */
  readonly waitMs: number | undefined;

  constructor(trouble: DossierError, waitMs?: number) {
    super(trouble.message, { cause: trouble });
    this.trouble = trouble;
    this.waitMs = waitMs;
  }
}
