import { type AdapterId, defaultAdapter } from '../../../core/contract/adapters.ts';
import type { Provider } from '../../providers/provider.ts';
import { providerOf } from '../../providers/providers.ts';
import type { Statements } from '../statements.ts';

export interface Service {
  readonly adapter: AdapterId;
  readonly url: string;
}

export type Services = ReturnType<typeof servicesIn>;

export function servicesIn({ run, all, value }: Statements) {
  const insert = run<[Service]>(`insert into service (adapter, url) values (:adapter, :url)`);
  const list = all<Service & { readonly id: number }, []>(`select id, adapter, url from service`);
  const find = value<number | undefined, [Service]>(
    `select id from service where adapter = :adapter and url = :url`,
  );
  let known = new Map<number, Service>();
  const get = (serviceId: number) => {
    if (!known.has(serviceId)) known = new Map(list().map(({ id, ...service }) => [id, service]));
    return known.get(serviceId);
  };
  return {
    get,
    /** Call inside a transaction. */
    idOf(service: Service): number {
      return find(service) ?? Number(insert(service).lastInsertRowid);
    },
    /** Reads the answers to the calls of a service. */
    provider: (serviceId: number | null): Provider =>
      providerOf((serviceId === null ? undefined : get(serviceId)?.adapter) ?? defaultAdapter),
  };
}
