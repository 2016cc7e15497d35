import { DossierError } from '../../errors.ts';
import {
  isObject,
  type ListAddress,
  type ListPlace,
  listAddress,
  notReadable,
  shownPath,
} from '../../runtime/files/local-path.ts';
import { type OpenBytes, openBytes, plainBytes } from '../../runtime/files/open-bytes.ts';
import { unreadable } from '../list-errors.ts';
import { type SourceOptions, spoolList } from './spool-list.ts';

/** The bytes of a list, wherever it lies. */
export interface OpenSource extends OpenBytes {
  /** Tells the version that was read; undefined where the path tells, or only reading can. */
  readonly stamp?: string | undefined;
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
  const list = await spoolList(address, request, options);
  return spooledSource(address.shown, list, signal);
}

/** The copy is closed when nobody reads it any more, in its order or in any other. */
function spooledSource(
  name: string,
  { file, stamp, isEncoded }: Awaited<ReturnType<typeof spoolList>>,
  signal: AbortSignal | undefined,
): OpenSource {
  let readers = 0;
  const enter = () => {
    readers += 1;
    let hasLeft = false;
    return async () => {
      if (hasLeft) return;
      hasLeft = true;
      readers -= 1;
      if (readers === 0) await file.close();
    };
  };
  let bytesRead = 0;
  async function* inOrder() {
    while (bytesRead < file.size) {
      signal?.throwIfAborted();
      const chunk = await file.read(bytesRead, Math.min(chunkBytes, file.size - bytesRead));
      bytesRead += chunk.length;
      yield chunk;
    }
  }
  const once = plainBytes(inOrder(), name, signal);
  return {
    name,
    stamp,
    sizeBytes: file.size,
    bytesRead: () => bytesRead,
    bytes: isEncoded ? plainBytes(once, name, signal) : once,
    openRandom: async () => ({ ...file, close: enter() }),
    close: enter(),
  };
}

/**
 * Requests the version of the list at an address, without reading it. `known` is the stamp of an earlier one.
 * `pipe` where only reading can tell, `gone` where the list cannot be had just now.
 */
export async function stampAddress(address: ListAddress, known: string, signal?: AbortSignal) {
  try {
    const stamp = isObject(address)
      ? await (await import('./from-store.ts')).storeStampNow(address, signal)
      : await (await import('./from-web.ts')).webStampNow(address, known, signal);
    return stamp === undefined ? ({ kind: 'pipe' } as const) : ({ kind: 'file', stamp } as const);
  } catch (error) {
    // As with a file that cannot be reached, an unfinished run needs it no more.
    if (error instanceof DossierError) return { kind: 'gone' } as const;
    throw error;
  }
}
