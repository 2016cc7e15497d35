/** Written in place of a service URL. */
export const sampleData = 'embedded';

/** Names a provider in jobs and ledgers. */
export type AdapterId = 'company-data' | 'sample-data';

/** Calls of version 0.9.0 were stored without an adapter. This one made them. */
export const defaultAdapter: AdapterId = 'company-data';

export function adapterOf(serviceUrl: string): AdapterId {
  return serviceUrl === sampleData ? 'sample-data' : 'company-data';
}
