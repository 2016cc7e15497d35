import { DossierError } from '../../errors.ts';
import {
  isObject,
  type ListAddress,
  type ListPlace,
  listAddress,
} from '../../runtime/files/list-address.ts';
import { notReadable, shownPath } from '../../runtime/files/local-path.ts';
import { type OpenBytes, openBytes, plainBytes } from '../../runtime/files/open-bytes.ts';
import type { RandomBytes } from '../../runtime/files/random-bytes.ts';
import type { OnReceived } from './spool-list.ts';

/** The bytes of a list, wherever it lies. */
export interface OpenSource extends OpenBytes {
  /** Tells the version that was read; undefined where the path tells, or only reading can. */
  readonly stamp?: string | undefined;
  close(): Promise<void>;
}

export interface SourceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Before a list that could not be had is asked for again. */
  readonly firstWaitMs?: number;
  /** Hears how far a list has come that lies at an address. */
  readonly onReceived?: OnReceived | undefined;
}

const chunkBytes = 256 * 1_024;

/** Opens a list of this machine, or brings one from its address. */
export async function openSource(
  place: ListPlace,
  { signal, firstWaitMs = 500, onReceived }: SourceOptions = {},
): Promise<OpenSource> {
  const address = typeof place === 'string' ? listAddress(place) : place;
  const written = address?.reveal() ?? String(place);
  const trouble = notReadable(written);
  if (trouble !== undefined) {
    throw new DossierError('INPUT_UNREADABLE', `${shownPath(written)}: ${trouble}`);
  }
  if (!address) return { ...(await openBytes(written, signal)), close: async () => {} };
  // Only a list at an address needs these, so other runs start without loading them.
  const { spoolList } = await import('./spool-list.ts');
  const list = await spoolList(address, await senderOf(address), {
    signal,
    firstWaitMs,
    onReceived,
  });
  return spooledSource(address.shown, list, signal);
}

async function senderOf(address: ListAddress) {
  if (isObject(address)) return (await import('./from-store.ts')).fromStore;
  return (await import('./from-web.ts')).fromWeb;
}

/** The copy is closed when nobody reads it any more, in its order or in any other. */
function spooledSource(
  name: string,
  { file, stamp, isEncoded }: { file: RandomBytes; stamp: string | undefined; isEncoded: boolean },
  signal: AbortSignal | undefined,
): OpenSource {
  let readers = 1;
  const leave = () => {
    let hasLeft = false;
    return async () => {
      if (hasLeft) return;
      hasLeft = true;
      readers -= 1;
      if (readers === 0) await file.close();
    };
  };
  let bytesRead = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(file, signal)) {
      bytesRead += chunk.length;
      yield chunk;
    }
  }
  const once = plainBytes(counted(), name, signal);
  return {
    name,
    stamp,
    sizeBytes: file.size,
    bytesRead: () => bytesRead,
    bytes: isEncoded ? plainBytes(once, name, signal) : once,
    openRandom: async () => {
      readers += 1;
      return { ...file, close: leave() };
    },
    close: leave(),
  };
}

async function* chunksOf(
  file: RandomBytes,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.size; at += chunkBytes) {
    signal?.throwIfAborted();
    yield await file.read(at, Math.min(chunkBytes, file.size - at));
  }
}
