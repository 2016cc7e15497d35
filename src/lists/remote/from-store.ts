import { DossierError } from '../../core/errors.ts';
import { readObjectAddress } from '../../core/objects/object-address.ts';
import { openObjectStore } from '../../core/objects/open-object-store.ts';
import type { ListAddress } from '../../core/runtime/files/local-path.ts';
import { PassingFailure, unreadable } from '../list-errors.ts';
import type { Delivery } from './open-source.ts';

export async function fromStore(
  address: ListAddress,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Delivery> {
  const { shown } = address;
  const store = await openObjectStore(process.env, timeoutMs);
  const close = async () => await store[Symbol.asyncDispose]();
  try {
    const object = await store.get(objectOf(address), signal);
    if (!object) throw unreadable(`${shown} is not there: no such object`);
    return { sizeBytes: object.facts.size, bytes: received(object.bytes), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function objectOf({ shown, reveal }: ListAddress) {
  const object = readObjectAddress(reveal());
  if (object) return object;
  throw unreadable(`${shown} is no address of an object`);
}

/** Cut connections are already resumed. A replaced object must be read from the start. */
async function* received(bytes: AsyncIterable<Uint8Array>) {
  try {
    for await (const { buffer, byteOffset, byteLength } of bytes) {
      yield Buffer.from(buffer, byteOffset, byteLength);
    }
  } catch (error) {
    const isPassing = error instanceof DossierError && error.code === 'STORE_DOWN';
    throw isPassing ? new PassingFailure(error) : error;
  }
}
