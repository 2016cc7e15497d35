import type { PlannedRequest } from '../harness/generate-load.ts';

/** The fields of a company that the benches use. */
export interface BenchCompany {
  id: string;
  fqdn?: string | null;
  website?: string | null;
  network?: string | null;
  industry_codes?: { abn?: string | null } | null;
}

/** The paths of all lookups of a company, each with one identifier and the country. */
export function lookupPaths(company: BenchCompany): string[] {
  const { id, fqdn, website, network, industry_codes: codes } = company;
  const identifiers = {
    id,
    abn: codes?.abn,
    fqdn,
    website,
    ln_slug: network,
    ln_url: network && `https://www.linkedin.com/company/${network}`,
  };
  return Object.entries(identifiers).flatMap(([kind, value]) =>
    value ? [`/company?${new URLSearchParams({ [kind]: value, country: 'AU' })}`] : [],
  );
}

export function planLookup(path: string, bodyBytes: number, key: string): PlannedRequest {
  const lines = [`GET ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${key}`, '', ''];
  return { bytes: Buffer.from(lines.join('\r\n')), bodyBytes };
}

/** Shuffles with a seed, so that every run has the same order and neighbours are far apart. */
export function shuffled<Item>(items: readonly Item[], seed = 1): Item[] {
  const mixed = [...items];
  let state = seed;
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    // The generator of Park and Miller: weak randomness is enough to break up the order.
    state = (state * 48_271) % 2_147_483_647;
    const other = state % (last + 1);
    [mixed[last], mixed[other]] = [mixed[other] as Item, mixed[last] as Item];
  }
  return mixed;
}
