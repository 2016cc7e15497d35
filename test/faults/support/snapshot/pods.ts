import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Control, readControl } from '../../../../src/integrations/snapshot/lease.ts';
import { openObjectStore } from '../../../../src/platform/objects/open-object-store.ts';
import { startObjectStore, type TestObjectStore } from '../../../support/object-store.ts';
import { defaultShape, type Shape } from '../sample-job.ts';
import {
  type CountingService,
  type Machine,
  openCountingService,
  openMachine,
  type React,
  type Running,
  type StartOptions,
} from '../world.ts';

const key = 'leads/ledger.db.zst';
/** Long enough for a machine under load, and given back by whoever ends in order. */
const leaseMs = 30_000;

/** A short lease, for a process whose end others have to wait for. */
export function leaseOf(ms: number): Readonly<Record<string, string>> {
  return { DOSSIER_LEASE_MS: String(ms) };
}

/** Machines with a disk of their own that use one ledger, by its snapshot. */
export interface Pods extends CountingService {
  readonly store: TestObjectStore;
  readonly address: string;
  /** The least settings that a command needs for the store. */
  readonly env: Readonly<Record<string, string>>;
  /** A machine whose disk is empty. */
  pod(): Machine;
  control(): Promise<Control>;
  removeLease(): Promise<void>;
  /** Keys of all objects, without the beginning that all have. */
  objects(): Promise<string[]>;
}

const fewCalls = { rows: 20, people: undefined, formats: ['csv'] } as const;

export async function openPods(
  changes: Partial<Shape> & {
    readonly every?: string;
    readonly heedsConditions?: boolean;
    readonly mustExist?: boolean;
  } = {},
  react: React = () => undefined,
): Promise<Pods> {
  const { every = '1s', heedsConditions = true, mustExist = false, ...shaped } = changes;
  const store = await startObjectStore({ heedsConditions });
  const address = `s3://${store.bucket}/${key}`;
  const ledger = { path: 'ledger.db', snapshot: address, every, mustExist };
  const given = { ...defaultShape, ...fewCalls, ...shaped };
  const shape = { ...given, job: { ...given.job, ledger } };
  const service = await openCountingService(shape, react);
  const client = await openObjectStore({ ...store.env });
  const machines: Machine[] = [];
  const at = { bucket: store.bucket, key };
  const env = { ...store.env, ...leaseOf(leaseMs) };
  return {
    ...service,
    store,
    address,
    env,
    pod() {
      const machine = openMachine(service.url, shape);
      machines.push(machine);
      const withStore = (options: StartOptions = {}) => ({
        ...options,
        env: { ...env, ...options.env },
      });
      return {
        ...machine,
        start: (options) => machine.start(withStore(options)),
        run: (options) => machine.run(withStore(options)),
      };
    },
    control: async () => (await readControl(client, at)).control,
    removeLease: () => client.remove({ ...at, key: `${key}.lease` }),
    async objects() {
      const found = await Array.fromAsync(client.list({ ...at, key: `${key}.` }));
      return found.map((object) => object.key.slice(key.length));
    },
    async [Symbol.asyncDispose]() {
      for (const machine of machines) await machine[Symbol.asyncDispose]();
      await client[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** What a pod has published, which is the same wherever it ran. */
export function companiesOf({ output }: Machine): string {
  return readFileSync(join(output, 'companies.csv'), 'utf8').replaceAll(
    /,\d{4}-\d\d-\d\dT[^,]*/g,
    '',
  );
}

/** Kills a process at the n-th request that it makes of the store, before the store does it or afterwards. */
export function killAtRequest(
  store: TestObjectStore,
  { process: child }: Running,
  { request, isAfter }: { readonly request: number; readonly isAfter: boolean },
): void {
  let left = request;
  store.misbehave = () => {
    left -= 1;
    if (left > 0) return undefined;
    if (left < 0) return undefined;
    if (isAfter) {
      // The answer never arrives, as the process is gone by then.
      setTimeout(() => child.kill('SIGKILL'), 50);
      return { cut: 'answer' };
    }
    child.kill('SIGKILL');
    return { hangs: true };
  };
}
