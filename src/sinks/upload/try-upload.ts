import { randomUUID } from 'node:crypto';
import { openObjectStore } from '../../objects/open-object-store.ts';
import { fixedFolder, type PathValues } from './place-keys.ts';
import { requireAddress } from './require-address.ts';

/** Writes and removes a small object where results go; throws where an upload would fail. */
export async function tryUpload(path: string, values: PathValues): Promise<void> {
  const folder = fixedFolder(requireAddress(path), values);
  await using store = await openObjectStore();
  const key = [folder.key, `dossier-check-${randomUUID()}`].filter(Boolean).join('/');
  const at = { ...folder, key };
  await store.put(at, Buffer.from('Written and removed by dossier check.\n'));
  await store.remove(at);
}
