import fc from 'fast-check';
import type { Call, CallResult, PeopleCall } from '../../../src/core/contract/call.ts';
import { isReject } from '../../../src/core/identify/identifier.ts';
import { identifyCell } from '../../../src/core/identify/identify-cell.ts';
import { failure, hitOf, invalid, miss } from '../../support/answers.ts';

/** A service small enough to know by heart: who answers to which name, and who works there. */
export interface SmallWorld {
  readonly companies: readonly SmallCompany[];
  /** What other names lead to; names that nobody has are misses. */
  readonly others: Readonly<Record<string, Fate>>;
  /** People on a page at most, whatever is asked for. */
  readonly pageLimit: number;
  readonly saysTotal: boolean;
}

export interface SmallCompany {
  readonly id: string;
  readonly abn: string | undefined;
  readonly fqdn: string | undefined;
  readonly slug: string | undefined;
  /** By seniority: how many there are, or why none can be had. */
  readonly people: Readonly<Record<string, number | 'failed' | 'invalid'>>;
}

/** The number is the company that is meant: an old name of it, or a mistake of the service. */
export type Fate = number | 'miss' | 'invalid' | 'failed';

const names = Array.from({ length: 6 }, (_, index) => index);
export const domains = names.map((index) => `d${index}.com.au`);
export const slugs = names.map((index) => `s${index}`);
export const abns = names.map((index) => abnOf(`90000000${index}`));
export const seniorities = ['3', '4', '5'];

/** Puts the check digits before the nine digits that follow them. */
function abnOf(tail: string): string {
  for (let check = 11; check <= 99; check += 1) {
    const abn = `${check}${tail}`;
    if (!isReject(identifyCell(abn, 'abn'))) return abn;
  }
  throw new Error(`no check digits fit ${tail}`);
}

const fate = fc.oneof(
  { weight: 3, arbitrary: fc.nat(3) },
  fc.constantFrom<Fate>('miss', 'invalid', 'failed'),
);
const staff = fc.oneof(
  { weight: 4, arbitrary: fc.nat(7) },
  fc.constantFrom<'failed' | 'invalid'>('failed', 'invalid'),
);

/** Each company has one of the names of its place, or lacks it; the rest lead anywhere. */
export const arbitraryWorld: fc.Arbitrary<SmallWorld> = fc.record({
  companies: fc
    .array(
      fc.record({
        hasAbn: fc.boolean(),
        hasDomain: fc.boolean(),
        hasSlug: fc.boolean(),
        people: fc.record({ '3': staff, '4': staff, '5': staff }),
      }),
      { minLength: 4, maxLength: 4 },
    )
    .map((drafts) =>
      drafts.map(({ hasAbn, hasDomain, hasSlug, people }, index) => ({
        id: `c_${index}`,
        abn: hasAbn ? abns[index] : undefined,
        fqdn: hasDomain ? domains[index] : undefined,
        slug: hasSlug ? slugs[index] : undefined,
        people,
      })),
    ),
  others: fc
    .array(fate, { minLength: 18, maxLength: 18 })
    .map((fates) =>
      Object.fromEntries([...domains, ...slugs, ...abns].map((name, at) => [name, fates[at] ?? 0])),
    ),
  pageLimit: fc.integer({ min: 1, max: 4 }),
  saysTotal: fc.boolean(),
});

export function ownerOf(world: SmallWorld, name: string): SmallCompany | undefined {
  return world.companies.find(
    ({ id, abn, fqdn, slug }) => name === id || name === abn || name === fqdn || name === slug,
  );
}

export function fateOf(world: SmallWorld, name: string): SmallCompany | Exclude<Fate, number> {
  const owner = ownerOf(world, name);
  if (owner) return owner;
  const other = world.others[name] ?? 'miss';
  return typeof other === 'number' ? (world.companies[other] ?? 'miss') : other;
}

/** Answers as the client would hand it over. */
export function answerOf(world: SmallWorld, call: Call): CallResult {
  return call.operation === 'company'
    ? answerCompany(fateOf(world, call.identifier.value))
    : answerPeople(world, call);
}

function answerCompany(found: ReturnType<typeof fateOf>): CallResult {
  if (found === 'miss') return miss;
  if (found === 'invalid') return invalid('no');
  if (found === 'failed') return failure;
  const { id, abn, fqdn, slug } = found;
  const company = { id, fqdn, industry_codes: { abn }, network: slug && `company/${slug}` };
  return hitOf(company, id);
}

function answerPeople(world: SmallWorld, search: PeopleCall): CallResult {
  const { companyId, from, size, seniority = '' } = search;
  const company = ownerOf(world, companyId);
  const staff = company?.people[seniority] ?? 0;
  if (staff === 'failed') return failure;
  if (staff === 'invalid') return invalid('no');
  const length = Math.max(0, Math.min(size, world.pageLimit, staff - from));
  const records = Array.from({ length }, (_, index) => ({
    person_id: `${companyId} ${seniority} ${from + index}`,
  }));
  return hitOf(world.saysTotal ? { total: staff, records } : records);
}
