import { setTimeout as wait } from 'node:timers/promises';
import { DossierError } from '../../errors.ts';
import type { ListAddress } from '../../runtime/files/list-address.ts';
import { type RandomBytes, spoolBytes } from '../../runtime/files/random-bytes.ts';
import { isWebPage } from '../bytes/refuse-binary.ts';
import { type Delivery, PassingTrouble } from './delivery.ts';

/** A list that has come as a whole. */
export interface SpooledList extends Pick<Delivery, 'stamp' | 'isEncoded'> {
  readonly file: RandomBytes;
}

interface SpoolOptions {
  readonly signal: AbortSignal | undefined;
  /** Before the second attempt; twice as long before each further one. */
  readonly firstWaitMs: number;
  readonly onReceived?: OnReceived | undefined;
}

/** Hears how many bytes of a list have come, of how many where that was announced. */
export type OnReceived = (bytes: number, ofBytes: number | undefined) => void;

const attempts = 4;
const pageBytes = 1_024;

/**
 * Copies a list to a temporary file before its first row is read. Rows that are read become calls: a list
 * that is cut, or replaced while it is sent, is then asked for again, and never half of it is taken for the whole.
 * The connection need not wait for the ledger, either, and Parquet and workbooks are read in any order. It takes
 * as much disk as the list has bytes, and no memory.
 */
export async function spoolList(
  address: ListAddress,
  ask: (address: ListAddress, signal: AbortSignal | undefined) => Promise<Delivery>,
  { signal, firstWaitMs, onReceived }: SpoolOptions,
): Promise<SpooledList> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await spoolOnce(address, await ask(address, signal), onReceived);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof PassingTrouble)) throw error;
      if (attempt === attempts) throw givenUp(error.trouble);
      await wait(error.waitMs ?? firstWaitMs * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

async function spoolOnce(
  address: ListAddress,
  delivery: Delivery,
  onReceived: OnReceived | undefined,
): Promise<SpooledList> {
  const { stamp, isEncoded, sentBy, sizeBytes } = delivery;
  try {
    if ((sizeBytes ?? 0) > address.maxBytes) throw tooLarge(address);
    const file = await spoolBytes(address.shown, limited(address, delivery, onReceived));
    try {
      await refusePage(address.shown, sentBy, file);
      return { file, stamp, isEncoded };
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
  onReceived: OnReceived | undefined,
): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    if (received > address.maxBytes) throw tooLarge(address);
    onReceived?.(received, sizeBytes);
    yield chunk;
  }
  if (sizeBytes === undefined || received === sizeBytes) return;
  const message = `${address.shown} was cut: ${received.toLocaleString('en')} of ${sizeBytes.toLocaleString('en')} bytes came`;
  throw new PassingTrouble(new DossierError('INPUT_DOWN', message));
}

/** A server that wants people to sign in answers with a page, and says that all is well. */
async function refusePage(
  name: string,
  sentBy: string | undefined,
  file: RandomBytes,
): Promise<void> {
  if (!isWebPage(await file.read(0, Math.min(pageBytes, file.size)))) return;
  const where = sentBy === undefined ? '' : `, sent by ${sentBy}`;
  throw new DossierError(
    'INPUT_UNREADABLE',
    `${name} is a web page, not a list${where}: it may ask you to sign in, or show the file. Take the address that a download of the file itself has`,
  );
}

function tooLarge({ shown, maxBytes }: ListAddress): DossierError {
  const limit = maxBytes.toLocaleString('en');
  return new DossierError(
    'INPUT_TOO_LARGE',
    `${shown} is larger than the ${limit} bytes that input.maxBytes allows`,
  );
}

function givenUp({ code, message, cause }: DossierError): DossierError {
  return new DossierError(code, `${message}; it was asked for ${attempts} times`, { cause });
}
