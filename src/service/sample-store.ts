import { packagePath } from '../runtime/package-path.ts';
import { loadFiles } from './load-files.ts';
import { openStore, type Store } from './open-store.ts';

/** Opens a store in memory with the fictional sample data of the package. */
export async function openSampleStore(): Promise<Store> {
  const store = openStore(':memory:');
  const files = ['companies.jsonl', 'people.jsonl'];
  await loadFiles(
    store,
    files.map((name) => packagePath('fixtures/sample', name)),
    { isStrict: true },
  );
  return store;
}
