import { readFileSync } from 'node:fs';
import { packagePath } from '../runtime/package-path.ts';
import { loadFiles } from './load-files.ts';
import { openStore, type Store } from './open-store.ts';
import { readLine } from './store/read-line.ts';

/**
 * Opens a store in memory with the fictional sample data of the package. The people, ten for each
 * company, are loaded at the first search: most runs over the sample data look up companies alone.
 */
export async function openSampleStore(): Promise<Store> {
  const store = openStore(':memory:');
  await loadFiles(store, [packagePath('fixtures/sample', 'companies.jsonl')], { isStrict: true });
  let hasPeople = false;
  const withPeople = (): Store => {
    if (!hasPeople) loadPeople(store);
    hasPeople = true;
    return store;
  };
  return {
    ...store,
    searchPeople: (search) => withPeople().searchPeople(search),
    counts: () => withPeople().counts(),
  };
}

function loadPeople(store: Store): void {
  const text = readFileSync(packagePath('fixtures/sample', 'people.jsonl'), 'utf8');
  store.together(() => {
    for (const line of text.trimEnd().split('\n')) {
      const read = readLine(line);
      if (read.kind !== 'person') throw new Error(`the sample data has a bad line: ${line}`);
      store.putPerson(read.person);
    }
  });
}
