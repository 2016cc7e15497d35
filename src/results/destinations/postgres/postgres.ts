import type { ResolvedDestination } from '../../../job/resolve-destinations.ts';
import { requirePackages } from '../../../platform/optional-packages.ts';
import type { Destination } from '../destination.ts';
import { shownWarehouse, warehouseAddress } from './open-warehouse.ts';

type Given = Extract<ResolvedDestination, { kind: 'postgres' }>;

/** An empty variable turns the destination off. */
const whenOff = 'The environment variable for the database URL is empty.';

export function postgres({ address: secret, schema }: Given): Destination {
  const reveal = () => secret.reveal(process.env);
  const name = `${secret.name}, schema ${schema}`;
  const shown = shownAddress(reveal, schema) ?? name;
  return {
    kind: 'postgres',
    name,
    stage: 'locking',
    address: () => shown,
    require() {
      reveal();
      requirePackages('postgres');
    },
    async check() {
      const address = reveal();
      if (!address) return 'PostgreSQL: off, the environment variable with its address is empty';
      const { tryLoad } = await import('./prepare-load.ts');
      return `${await tryLoad(address, schema)}, with permission to load`;
    },
    whyLeftOut({ run, limit, held, complete }) {
      const because = (why: string) => `The result of ${run} was not loaded, because it is ${why}.`;
      if (!reveal()) return whenOff;
      if (limit !== null) return because('a trial run of the first rows of the list');
      if (held) return because('held');
      return complete ? undefined : because('incomplete');
    },
    async prepare(source, options) {
      const { prepareLoad } = await import('./prepare-load.ts');
      return await prepareLoad(source, { ...options, address: reveal() as URL, schema });
    },
    async *results(job) {
      const address = reveal();
      if (!address) return;
      const { readLoadedRun } = await import('./forget-records.ts');
      const received = await readLoadedRun(address, schema, job);
      if (received) yield { folder: shown, received, files: [], remove: async () => {} };
    },
    async forgetRest(job, intent, isRewritten) {
      const address = reveal();
      const { forgetRecords } = await import('./forget-records.ts');
      if (address) await forgetRecords(address, schema, job, intent, isRewritten);
    },
  };
}

function shownAddress(reveal: () => URL | undefined, schema: string) {
  try {
    const address = reveal();
    return address && shownWarehouse(warehouseAddress(address, schema));
  } catch {
    // The variable may be unset when results are only viewed.
    return undefined;
  }
}
