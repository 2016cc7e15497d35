import { DossierError } from '../../core/errors.ts';
import {
  isObject,
  type ListAddress,
  type ListPlace,
  listAddress,
  notReadable,
  shownPath,
} from '../../core/runtime/files/local-path.ts';
import {
  type OpenBytes,
  openBytes,
  plainBytes,
  spoolBytes,
} from '../../core/runtime/files/open-bytes.ts';
import { retry } from '../../core/runtime/retry.ts';
import { PassingFailure, unreadable } from '../list-errors.ts';
import { isWebPage } from '../refuse-binary.ts';

/** The bytes of a list, wherever it lies. */
export interface OpenSource extends OpenBytes {
  close(): Promise<void>;
}

const chunkBytes = 256 * 1_024;

/** Opens a list of this machine, or brings one from its address. */
export async function openSource(
  place: ListPlace,
  options: SourceOptions = {},
): Promise<OpenSource> {
  const { signal } = options;
  const address = typeof place === 'string' ? listAddress(place) : place;
  const written = address?.reveal() ?? String(place);
  const trouble = notReadable(written);
  if (trouble !== undefined) {
    throw unreadable(`${shownPath(written)}: ${trouble}`);
  }
  if (!address) return { ...(await openBytes(written, signal)), close: async () => {} };
  // Only a list at an address needs these, so other runs start without loading them.
  const request = isObject(address)
    ? (await import('./from-store.ts')).fromStore
    : (await import('./from-web.ts')).fromWeb;
  const { file, isEncoded } = await spoolList(address, request, options);
  let bytesRead = 0;
  async function* inOrder() {
    while (bytesRead < file.size) {
      signal?.throwIfAborted();
      const chunk = await file.read(bytesRead, Math.min(chunkBytes, file.size - bytesRead));
      bytesRead += chunk.length;
      yield chunk;
    }
  }
  const { shown: name } = address;
  const once = plainBytes(inOrder(), name, signal);
  return {
    name,
    sizeBytes: file.size,
    bytesRead: () => bytesRead,
    bytes: isEncoded ? plainBytes(once, name, signal) : once,
    // Both ways read one copy, which closes with the source.
    openRandom: async () => ({ ...file, close: async () => {} }),
    close: file.close,
  };
}

/** A list on its way from another machine. */
export interface Delivery {
  /** As announced; undefined where the end of the list is marked in another way. */
  readonly sizeBytes: number | undefined;
  /** The sender may have compressed what is compressed already, or not. */
  readonly isEncoded?: boolean;
  /** Where another address than the one that was asked has sent it. */
  readonly sentBy?: string | undefined;
  /** Fails unless it is whole: no cut connection passes for the end of the list. */
  readonly bytes: AsyncIterable<Buffer>;
  close(): Promise<void>;
}

export interface SourceOptions {
  readonly signal?: AbortSignal | undefined;
  /** The wait before the second attempt; it doubles before each further one. */
  readonly firstWaitMs?: number;
  /** How long the other side may send nothing. */
  readonly timeoutMs?: number;
  /** Gets the bytes received of a list at an address, and their total where it was announced. */
  readonly onReceived?: ((bytes: number, ofBytes: number | undefined) => void) | undefined;
}

const attempts = 4;
const pageBytes = 1_024;

/**
 * Copies a list to a temporary file before its first row is read, because rows become paid calls. A list that is
 * cut, or replaced while it is sent, is requested again. It needs as much disk as the list has bytes, and no memory.
 */
async function spoolList(
  address: ListAddress,
  request: (address: ListAddress, timeoutMs: number, signal?: AbortSignal) => Promise<Delivery>,
  { signal, firstWaitMs = 500, timeoutMs = 120_000, onReceived }: SourceOptions,
) {
  const { shown } = address;
  /** Ends a list that has another length than was announced. */
  async function* limited({ bytes, sizeBytes }: Delivery) {
    let received = 0;
    for await (const chunk of bytes) {
      received += chunk.length;
      onReceived?.(received, sizeBytes);
      yield chunk;
    }
    if (sizeBytes === undefined || received === sizeBytes) return;
    const message = `${shown} was cut: ${received.toLocaleString('en')} of ${sizeBytes.toLocaleString('en')} bytes came`;
    throw new PassingFailure(new DossierError('INPUT_DOWN', message));
  }
  const spoolOnce = async () => {
    const delivery = await request(address, timeoutMs, signal);
    const { isEncoded, sentBy } = delivery;
    try {
      const file = await spoolBytes(shown, limited(delivery));
      try {
        // A server that wants people to sign in answers with a page, and says that all is well.
        if (!isWebPage(await file.read(0, Math.min(pageBytes, file.size)))) {
          return { file, isEncoded };
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
  };
  try {
    return await retry(spoolOnce, {
      canRetry: (error, attempt) => error instanceof PassingFailure && attempt < attempts,
      waitMs: (attempt) => firstWaitMs * 2 ** (attempt - 1),
      signal,
    });
  } catch (error) {
    if (!(error instanceof PassingFailure)) throw error;
    const { code, message, cause } = error;
    throw new DossierError(code, `${message}; it was asked for ${attempts} times`, { cause });
  }
}
