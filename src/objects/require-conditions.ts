import { randomUUID } from 'node:crypto';
import type { ObjectAddress, ObjectStore } from './object-store.ts';
import { unconditional } from './put-object.ts';

/**
 * Makes sure that the store heeds conditions, by a write that must not happen, beside the address. A lock
 * in a store that ignores them would be held by everybody.
 */
export async function requireConditions(store: ObjectStore, near: ObjectAddress): Promise<void> {
  const probe = { ...near, key: `${near.key}.probe-${randomUUID()}` };
  const bytes = Buffer.from('A test by Dossier whether this store heeds conditions.\n');
  try {
    await store.put(probe, bytes, { condition: { ifAbsent: true } });
    const second = await store.put(probe, bytes, { condition: { ifAbsent: true } });
    if (second) throw unconditional(near);
  } finally {
    await store.remove(probe);
  }
}
