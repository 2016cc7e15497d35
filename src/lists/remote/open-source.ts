import { tmpdir } from 'node:os';
import { DossierError } from '../../core/errors.ts';
import { formatDuration } from '../../core/values/duration.ts';
import { formatNumber } from '../../core/values/format.ts';
import { freeBytesAt } from '../../platform/files/disk.ts';
import {
  isObject,
  type ListAddress,
  type ListLocation,
  listAddress,
  notReadable,
  shownPath,
} from '../../platform/files/local-path.ts';
import {
  type ByteSource,
  plainBytes,
  readBytes,
  spoolBytes,
} from '../../platform/files/read-bytes.ts';
import { readObjectAddress } from '../../platform/objects/object-address.ts';
import { retry } from '../../platform/retry.ts';
import { unreadable } from '../list-errors.ts';

export interface OpenSource extends ByteSource {
  close(): Promise<void>;
}

const chunkBytes = 256 * 1_024;

export async function openSource(
  place: ListLocation,
  options: SourceOptions = {},
): Promise<OpenSource> {
  const { signal } = options;
  const address = typeof place === 'string' ? listAddress(place) : place;
  const written = address?.reveal() ?? String(place);
  const problem = notReadable(written);
  if (problem !== undefined) {
    throw unreadable(`${shownPath(written)}: ${problem}`);
  }
  if (!address) return { ...(await readBytes(written, signal)), close: async () => {} };
  const request = isObject(address) ? fromStore : (await import('./from-web.ts')).fromWeb;
  const file = await spoolList(address, request, options);
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
  return {
    name,
    sizeBytes: file.size,
    bytesRead: () => bytesRead,
    bytes: plainBytes(inOrder(), name, signal),
    // Closing the source closes the file.
    openRandom: async () => ({ ...file, close: async () => {} }),
    close: file.close,
  };
}

export interface FetchedList {
  /** Undefined for a chunked response. */
  readonly sizeBytes: number | undefined;
  /** Throws if the connection is cut, so a partial list never looks complete. */
  readonly bytes: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface SourceOptions {
  readonly signal?: AbortSignal | undefined;
  readonly firstWaitMs?: number;
  readonly timeoutMs?: number;
  readonly limits?: typeof listLimits;
  readonly onReceive?: ((bytes: number, ofBytes: number | undefined) => void) | undefined;
}

const attempts = 4;
const listLimits = { mostBytes: 10 * 1_024 ** 3, mostMs: 4 * 3_600_000 };
/** Other programs need room, too. */
const shareOfDisk = 0.9;

/** Downloads the whole list before the first paid call, so a failed download costs nothing. */
async function spoolList(
  address: ListAddress,
  request: (address: ListAddress, timeoutMs: number, signal?: AbortSignal) => Promise<FetchedList>,
  { signal, firstWaitMs = 500, timeoutMs = 120_000, limits = listLimits, onReceive }: SourceOptions,
) {
  const { shown } = address;
  const { mostMs } = limits;
  const startedAt = performance.now();
  async function* limited({ bytes, sizeBytes }: FetchedList) {
    const free = freeBytesAt(tmpdir()) ?? Number.POSITIVE_INFINITY;
    const mostBytes = Math.min(limits.mostBytes, Math.floor(free * shareOfDisk));
    let received = 0;
    const checkLimits = () => {
      if (Math.max(received, sizeBytes ?? 0) > mostBytes) {
        throw unreadable(
          `${shown} has more than ${formatNumber(mostBytes)} bytes, the most that is copied to ${tmpdir()}: check the URL, or download the list yourself`,
        );
      }
      if (performance.now() - startedAt > mostMs) {
        throw new DossierError(
          'INPUT_DOWN',
          `${shown} was not complete after ${formatDuration(mostMs)}`,
        );
      }
    };
    checkLimits();
    for await (const chunk of bytes) {
      received += chunk.length;
      checkLimits();
      onReceive?.(received, sizeBytes);
      yield chunk;
    }
  }
  const spoolOnce = async () => {
    const delivery = await request(address, timeoutMs, signal);
    try {
      return await spoolBytes(shown, limited(delivery));
    } finally {
      await delivery.close();
    }
  };
  return await retry(spoolOnce, {
    // The object store retries its own errors, which have other codes.
    canRetry: (error, attempt) =>
      error instanceof DossierError && error.code === 'INPUT_DOWN' && attempt < attempts,
    waitMs: (attempt) => firstWaitMs * 2 ** (attempt - 1),
    untilMs: mostMs,
    signal,
  });
}

async function fromStore(
  { shown, reveal }: ListAddress,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<FetchedList> {
  const { openObjectStore } = await import('../../platform/objects/open-object-store.ts');
  const store = await openObjectStore(process.env, timeoutMs);
  const close = async () => await store[Symbol.asyncDispose]();
  try {
    const address = readObjectAddress(reveal());
    const object = address && (await store.get(address, signal));
    if (!object) throw unreadable(`${shown} does not exist: no such object`);
    return { sizeBytes: object.facts.size, bytes: object.bytes, close };
  } catch (error) {
    await close();
    throw error;
  }
}
