import { identifyRow } from '../../../src/core/identify/identify-row.ts';
import { fateOf, ownerOf, type SmallCompany, type SmallWorld } from './small-world.ts';

/** As much of a row's outcome as the design decides. */
export interface BriefRow {
  readonly status: string;
  readonly companyId?: string;
  readonly match?: string | null;
  readonly asked?: string | null;
}

/** What the design says of a row, without calls, answers and their order. */
export function expectedRow(world: SmallWorld, cells: readonly string[]): BriefRow {
  const identify = cells.map((_, index) => ({ index, as: 'auto' as const }));
  const { candidates } = identifyRow(cells, { identify, country: { default: 'AU' } });
  let status = 'invalid';
  for (const { kind, value } of candidates) {
    const found = fateOf(world, value);
    if (found === 'failed') return { status: 'failed' };
    if (found === 'invalid') status = 'invalid';
    else if (found === 'miss') status = 'not_found';
    else {
      const match = expectedMatch(found, kind, value);
      return { status: 'matched', match, asked: value, companyId: found.id };
    }
  }
  return { status };
}

function expectedMatch(company: SmallCompany, kind: string, value: string): string {
  const own = { abn: company.abn, fqdn: company.fqdn, ln_slug: company.slug }[kind];
  if (own === undefined) return 'unverified';
  return own === value ? 'exact' : 'mismatch';
}

/** The people of each company that a row has matched, in the order of the searches. */
export function expectedPeople(
  world: SmallWorld,
  companyIds: readonly string[],
  search: { readonly searched: readonly string[]; readonly maxPerCompany: number },
): Record<string, string[]> {
  // Who searches nobody needs no list of companies either.
  if (search.searched.length === 0) return {};
  return Object.fromEntries(
    companyIds.map((id) => {
      const everybody = search.searched.flatMap((seniority) => {
        const staff = ownerOf(world, id)?.people[seniority];
        const count = typeof staff === 'number' ? staff : 0;
        return Array.from({ length: count }, (_, index) => `${id} ${seniority} ${index}`);
      });
      return [id, everybody.slice(0, search.maxPerCompany)];
    }),
  );
}
