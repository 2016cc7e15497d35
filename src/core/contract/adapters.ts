/** Written in place of a service URL. */
export const sampleData = 'embedded';

/** Names a provider in jobs and ledgers. */
export type AdapterId = 'company-data' | 'sample-data';

/** Of calls that were stored before there were others. */
export const defaultAdapter: AdapterId = 'company-data';

export function adapterOf(serviceUrl: string): AdapterId {
  return serviceUrl === sampleData ? 'sample-data' : 'company-data';
}
