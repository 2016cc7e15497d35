import { DossierError } from '../../core/errors.ts';
import { createAdapter } from './adapter/adapter.ts';
import type { AdapterDefinition } from './adapter/definition.ts';
import { companyData } from './company-data/company-data.ts';
import type { Provider } from './provider.ts';

/** A name must never change, because ledgers have it. */
const providers = {
  'company-data': companyData,
  // `dossier serve` with the sample companies, started by the command itself.
  'sample-data': companyData,
} as const satisfies Record<string, Provider>;

/** Names a provider in jobs and ledgers. An adapter has the name that its file gives it. */
export type ProviderId = keyof typeof providers | `adapter:${string}`;

/** One address of a provider. Plain data, because it may go to another thread. */
export interface Service {
  readonly provider: ProviderId;
  readonly url: string;
  /** Only for the provider of this name. */
  readonly adapter?: AdapterDefinition | undefined;
}

const adapters = new WeakMap<AdapterDefinition, Provider>();

export function providerOf({ provider, adapter }: Pick<Service, 'provider' | 'adapter'>): Provider {
  if (adapter) {
    const known = adapters.get(adapter) ?? createAdapter(adapter);
    adapters.set(adapter, known);
    return known;
  }
  // Objects have names of their own, such as `constructor`.
  if (Object.hasOwn(providers, provider)) return providers[provider as keyof typeof providers];
  throw new DossierError('NEWER_VERSION', `the ledger has answers of the provider ${provider}`);
}

/** What a job may name. */
export const namedProviders = Object.keys(providers).filter((id) => id !== 'sample-data') as [
  ProviderId,
  ...ProviderId[],
];

/** Its answers count for the name of the adapter, so its file may move. */
export function adapterId({ name }: Pick<AdapterDefinition, 'name'>): ProviderId {
  return `adapter:${name}`;
}

/** Written in place of a service URL. */
export const sampleData = 'embedded';

/** Calls of version 0.9.0 were stored without a provider. This one made them. */
export const defaultProvider: ProviderId = 'company-data';

export function providerAt(serviceUrl: string, named = defaultProvider): ProviderId {
  return serviceUrl === sampleData ? 'sample-data' : named;
}

/**
 * Distinguishes services in call keys, runs, budgets and rates: two providers at one URL share
 * nothing. Services of version 0.9.0 have only a URL.
 */
export function serviceIdentity({ provider, url }: Service): string {
  return provider === providerAt(url) ? url : `${provider} ${url}`;
}

/** A company id alone does not say whose it is, so it belongs to the first service that takes ids. */
export function identityForIds(services: readonly Service[]): string | undefined {
  const first = services.find((service) => providerOf(service).takes('id'));
  return first && serviceIdentity(first);
}

export function serviceOf(identity: string): Service {
  const [url = '', provider = providerAt(url)] = identity.split(' ').reverse();
  return { provider: provider as ProviderId, url };
}
