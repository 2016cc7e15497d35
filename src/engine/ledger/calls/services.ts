import { type AdapterId, defaultAdapter } from '../../../core/contract/adapters.ts';
import type { Provider } from '../../providers/provider.ts';
import { providerOf } from '../../providers/providers.ts';
import type { Statements } from '../statements.ts';

export interface Service {
  readonly adapter: AdapterId;
  readonly url: string;
}

export type Services = ReturnType<typeof servicesIn>;

export function servicesIn({ run, all }: Statements) {
  const insert = run<[Service]>(
    `insert into service (adapter, url) values (:adapter, :url) on conflict do nothing`,
  );
  const list = all<Service & { readonly id: number }, []>(`select id, adapter, url from service`);
  let known = new Map<number, Service>();
  const read = () => {
    known = new Map(list().map(({ id, ...service }) => [id, service]));
    return known;
  };
  const find = ({ adapter, url }: Service) =>
    [...known].find(([, one]) => one.adapter === adapter && one.url === url)?.[0];
  const get = (serviceId: number) => known.get(serviceId) ?? read().get(serviceId);
  return {
    get,
    /** Call inside a transaction. */
    idOf(service: Service): number {
      const id = find(service);
      if (id !== undefined) return id;
      insert(service);
      read();
      return find(service) as number;
    },
    /** Knows what the answers of a call mean. */
    provider: (serviceId: number | null): Provider =>
      providerOf((serviceId === null ? undefined : get(serviceId)?.adapter) ?? defaultAdapter),
  };
}
