import type { AdapterDefinition } from '../../providers/adapter/definition.ts';
import type { Provider } from '../../providers/provider.ts';
import {
  defaultProvider,
  providerOf,
  type Service,
  serviceIdentity,
  serviceOf,
} from '../../providers/providers.ts';
import type { Statements } from '../statements.ts';

export type Services = ReturnType<typeof servicesIn>;

interface StoredService {
  readonly id: number;
  readonly provider: Service['provider'];
  readonly url: string;
  readonly definition: string | null;
  readonly judgedBy: string | null;
  /** Null if no file describes it. */
  readonly name: string | null;
}

export function servicesIn({ change, all, get: one }: Statements) {
  // The column `adapter` holds the provider. It is older than the files that are called adapters.
  const columns = `id, adapter as provider, url, definition, judged_by as judgedBy, name`;
  const insert = change<[Omit<StoredService, 'id' | 'name'>]>(`
    insert into service (adapter, url, definition, judged_by)
    values (:provider, :url, :definition, :judgedBy)`);
  const list = all<StoredService, []>(`select ${columns} from service`);
  const findStored = one<StoredService, [Pick<Service, 'provider' | 'url'>]>(
    `select ${columns} from service where adapter = :provider and url = :url`,
  );
  const update = change<[Omit<StoredService, 'provider' | 'url' | 'name'>]>(
    `update service set definition = :definition, judged_by = :judgedBy where id = :id`,
  );
  const setName = change<[{ serviceId: number; name: string; account: Buffer | null }]>(`
    update service set name = :name, account = :account
    where id = :serviceId and (name is not :name or account is not :account)`);
  const idOf = (service: Service): number =>
    findStored(service)?.id ?? Number(insert(asStored(service)).lastInsertRowid);
  let known = new Map<number, NamedService>();
  const get = (serviceId: number) => {
    if (!known.has(serviceId)) known = new Map(list().map((stored) => [stored.id, read(stored)]));
    return known.get(serviceId);
  };
  return {
    get,
    identityOf(serviceId: number | null) {
      const service = serviceId === null ? undefined : get(serviceId);
      return service && serviceIdentity(service);
    },
    /** A service as a run names it, with its adapter. */
    named(identity: string): NamedService {
      const service = serviceOf(identity);
      const stored = findStored(service);
      return stored ? read(stored) : { ...service, name: null };
    },
    find: (service: Service) => findStored(service)?.id,
    /** Call inside a transaction. */
    idOf,
    /** Outputs and spending show these names. Call inside a transaction. */
    name(services: readonly DescribedService[]): void {
      for (const { name, spend, ...service } of services) {
        const [account] = spend?.accounts ?? [];
        const bytes = account === undefined ? null : Buffer.from(account, 'hex');
        setName({ serviceId: idOf(service), name, account: bytes });
      }
      known.clear();
    },
    /** Null if it was not stored before. Call inside a transaction. */
    renewAdapter(service: Service): Service | null {
      const stored = findStored(service);
      if (!stored) return null;
      update({ ...asStored(service), id: stored.id });
      known.clear();
      return read(stored);
    },
    identities: () => list().map(serviceIdentity),
    /** The identities of services, by name. */
    byName: () =>
      new Map(list().flatMap((one) => (one.name ? [[one.name, serviceIdentity(one)]] : []))),
    judgedBy: (service: Service) => findStored(service)?.judgedBy,
    /** Reads the answers to the calls of a service. */
    provider: (serviceId: number | null): Provider =>
      providerOf(
        (serviceId === null ? undefined : get(serviceId)) ?? { provider: defaultProvider },
      ),
  };
}

interface DescribedService extends Service {
  readonly name: string;
  readonly spend?: { readonly accounts: readonly string[] } | undefined;
}

interface NamedService extends Service {
  readonly name: string | null;
}

function read({ provider, url, definition, name }: StoredService): NamedService {
  if (definition === null) return { provider, url, name };
  return { provider, url, name, adapter: JSON.parse(definition) as AdapterDefinition };
}

function asStored({ provider, url, adapter }: Service) {
  const judgedBy = adapter ? providerOf({ provider, adapter }).version.judging : null;
  return { provider, url, definition: adapter ? JSON.stringify(adapter) : null, judgedBy };
}
