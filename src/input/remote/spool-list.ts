import { DossierError } from '../../errors.ts';
import type { ListAddress } from '../../runtime/files/local-path.ts';
import { spoolBytes } from '../../runtime/files/open-bytes.ts';
import { retry } from '../../runtime/retry.ts';
import { unreadable } from '../list-errors.ts';
import { isWebPage } from '../refuse-binary.ts';

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

/** A failure that may have passed when the list is requested again. */
export class PassingFailure extends DossierError {
  /** How long the server wants to be left alone. */
  readonly waitMs: number | undefined;

  constructor({ code, message, cause }: DossierError, waitMs?: number) {
    super(code, message, { cause });
    this.waitMs = waitMs;
  }
}

export interface SourceOptions {
  readonly signal?: AbortSignal | undefined;
  /** The wait before the second attempt; it doubles before each further one. */
  readonly firstWaitMs?: number;
  /** Gets the bytes received of a list at an address, and their total where it was announced. */
  readonly onReceived?: ((bytes: number, ofBytes: number | undefined) => void) | undefined;
}

const attempts = 4;
const pageBytes = 1_024;

/**
 * Copies a list to a temporary file before its first row is read, because rows become paid calls. A list that is
 * cut, or replaced while it is sent, is requested again. It needs as much disk as the list has bytes, and no memory.
 */
export async function spoolList(
  address: ListAddress,
  request: (address: ListAddress, signal: AbortSignal | undefined) => Promise<Delivery>,
  { signal, firstWaitMs = 500, onReceived }: SourceOptions,
) {
  const spoolOnce = async () => spoolDelivery(address, await request(address, signal), onReceived);
  try {
    return await retry(spoolOnce, {
      canRetry: (error, attempt) => error instanceof PassingFailure && attempt < attempts,
      waitMs: (attempt, error) =>
        (error as PassingFailure).waitMs ?? firstWaitMs * 2 ** (attempt - 1),
      signal,
    });
  } catch (error) {
    if (!(error instanceof PassingFailure)) throw error;
    const { code, message, cause } = error;
    throw new DossierError(code, `${message}; it was asked for ${attempts} times`, { cause });
  }
}

async function spoolDelivery(
  address: ListAddress,
  delivery: Delivery,
  onReceived: SourceOptions['onReceived'],
) {
  const { stamp, isEncoded, sentBy, sizeBytes } = delivery;
  const { shown } = address;
  try {
    if ((sizeBytes ?? 0) > address.maxBytes) throw tooLarge(address);
    const file = await spoolBytes(shown, limited(address, delivery, onReceived));
    try {
      // A server that wants people to sign in answers with a page, and says that all is well.
      if (!isWebPage(await file.read(0, Math.min(pageBytes, file.size)))) {
        return { file, stamp, isEncoded };
      }
      const where = sentBy === undefined ? '' : `, sent by ${sentBy}`;
      throw unreadable(
        `${shown} is a web page, not a list${where}: it may ask you to sign in, or show the file. Take the address that a download of the file itself has`,
      );
    } catch (error) {
      await file.close();
      throw error;
    }
  } finally {
    await delivery.close();
  }
}

/** Ends a list that has no end, and one that has another than was announced. */
async function* limited(
  address: ListAddress,
  { bytes, sizeBytes }: Delivery,
  onReceived: SourceOptions['onReceived'],
) {
  let received = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    if (received > address.maxBytes) throw tooLarge(address);
    onReceived?.(received, sizeBytes);
    yield chunk;
  }
  if (sizeBytes === undefined || received === sizeBytes) return;
  const message = `${address.shown} was cut: ${received.toLocaleString('en')} of ${sizeBytes.toLocaleString('en')} bytes came`;
  throw new PassingFailure(new DossierError('INPUT_DOWN', message));
}

function tooLarge({ shown, maxBytes }: ListAddress) {
  const limit = maxBytes.toLocaleString('en');
  return new DossierError(
    'INPUT_TOO_LARGE',
    `${shown} is larger than the ${limit} bytes that input.maxBytes allows`,
  );
}
