import type { ObjectAddress, ObjectStore } from '../../objects/object-store.ts';
import { isOutputFile, Manifest } from '../manifest.ts';
import { readJson } from './standing-result.ts';

const aboutFiles = ['report.html', 'manifest.json'];

/**
 * Removes the results that were put aside in a place, now that a complete one of this run or a later one
 * stands there. Each can be written again: `dossier export --run`. What is not Dossier's stays, and so does
 * what cannot be removed: its manifest says what it is.
 */
export async function removeHeld(
  store: ObjectStore,
  { bucket, key }: ObjectAddress,
  published: { readonly run: string; readonly job: string },
): Promise<void> {
  try {
    const beginning = key === '' ? 'held-' : `${key}/held-`;
    const held = new Map<string, string[]>();
    for await (const object of store.list({ bucket, key: beginning })) {
      const [run = '', ...rest] = object.key.slice(beginning.length).split('/');
      if (rest.length === 0 || !isUpTo(run, published.run)) continue;
      held.set(run, [...(held.get(run) ?? []), object.key]);
    }
    for (const keys of held.values()) {
      if (!keys.every((other) => isOurs(nameOf(other)))) continue;
      const manifestKey = keys.find((other) => nameOf(other) === 'manifest.json');
      const found = manifestKey && (await readJson(store, { bucket, key: manifestKey }));
      const job = found && Manifest.safeParse(found.json).data?.job.name;
      if (manifestKey !== undefined && job !== published.job) continue;
      // The manifest goes first: files without one are no result.
      const inOrder = [...(manifestKey === undefined ? [] : [manifestKey]), ...keys];
      for (const other of new Set(inOrder)) await store.remove({ bucket, key: other });
    }
  } catch {
    // What is left takes room and does no harm.
  }
}

/** `r7` is up to `r12`. */
function isUpTo(run: string, published: string): boolean {
  const number = (name: string) => Number(/^r(\d+)$/.exec(name)?.[1] ?? Number.NaN);
  return number(run) <= number(published);
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function isOurs(name: string): boolean {
  return isOutputFile(name) || aboutFiles.includes(name);
}
