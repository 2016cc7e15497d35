import type { AdapterId } from '../../core/contract/adapters.ts';
import { type CompanyIdentity, readIdentity } from '../../core/rules/company-identity.ts';
import { companyData } from './company-data/company-data.ts';
import type { Provider } from './provider.ts';

const providers: Readonly<Record<AdapterId, Provider>> = {
  'company-data': companyData,
  // `dossier serve` with the sample companies, started by the command itself.
  'sample-data': companyData,
};

export function providerOf(adapter: AdapterId): Provider {
  return providers[adapter];
}

/** In the fields of `Person`. */
export function peopleIn(provider: Provider, body: unknown): unknown[] {
  return provider.people(body)?.people.map(provider.record) ?? [];
}

export function identityIn(provider: Provider, companyId: string, body: unknown): CompanyIdentity {
  return readIdentity(companyId, provider.identifiers(body));
}
