import type { Seed } from '../../faults/support/seed.ts';
import type { ListRow } from './model.ts';
import type { Company, Staff, Truth } from './service.ts';

/** A list and a service that change from night to night, by a seed. */
export interface ChangingWorld {
  readonly list: readonly ListRow[];
  readonly truth: Truth;
  /** The service learns and forgets: companies are renamed, replaced, lost and found, people come and go. */
  live(): void;
  add(rows: number): void;
  remove(rows: number): void;
  /** Puts rows back that were removed. */
  restore(): void;
  reorder(): void;
  /** Other notes, another website, one that is no website any more, and one that is fixed. */
  correct(): void;
}

const positions = ['CEO', 'CTO', 'Head of Sales', 'Chair'];

export function openChangingWorld(seed: Seed): ChangingWorld {
  const truth = new Map<string, Company>();
  let list: ListRow[] = [];
  let removed: ListRow[] = [];
  let last = 0;

  const next = () => {
    last += 1;
    return last;
  };
  const staff = (): Staff =>
    Object.fromEntries(
      Array.from({ length: seed.random(4) }, () => [`p_${next()}`, seed.pick(positions)]),
    );
  const company = (): Company => {
    const number = next();
    return { id: `c_${number}`, name: `Company ${number}`, staff: staff() };
  };
  /** A domain, most often of a company; now and then one that another row has, too, or none at all. */
  const website = (): string => {
    const dice = seed.random(12);
    if (dice === 0) return 'no domain';
    if (dice === 1 && list.length > 0) return seed.pick(list).website;
    const domain = `site-${next()}.com.au`;
    if (dice > 2) truth.set(domain, company());
    return domain;
  };
  const change = (domain: string, was: Company): void => {
    const [person] = Object.keys(was.staff);
    switch (seed.random(6)) {
      case 0:
        if (seed.random(2) === 0) truth.delete(domain);
        return;
      case 1:
        truth.set(domain, company());
        return;
      case 2:
        truth.set(domain, { ...was, name: `${was.name} Group` });
        return;
      case 3:
        truth.set(domain, { ...was, staff: { ...was.staff, ...staff() } });
        return;
      case 4:
        if (person) truth.set(domain, { ...was, staff: without(was.staff, person) });
        return;
      default:
        if (person) truth.set(domain, { ...was, staff: { ...was.staff, [person]: 'Advisor' } });
    }
  };
  const take = (count: number): ListRow[] =>
    Array.from({ length: count }, () => list.splice(seed.random(list.length), 1)).flat();

  return {
    get list() {
      return list;
    },
    get truth() {
      return new Map(truth);
    },
    live() {
      for (const [domain, known] of [...truth]) if (seed.random(6) === 0) change(domain, known);
      for (const { website: domain } of list) {
        const isLost = domain.includes('.') && !truth.has(domain);
        if (isLost && seed.random(6) === 0) truth.set(domain, company());
      }
    },
    add(count) {
      for (let added = 0; added < count; added += 1) {
        const number = next();
        const row = { id: `k${number}`, website: website(), note: `note ${number}` };
        list.splice(seed.random(list.length + 1), 0, row);
      }
    },
    remove(count) {
      removed = take(count);
    },
    restore() {
      list.push(...removed);
      removed = [];
    },
    reorder() {
      list = take(list.length);
    },
    correct() {
      const corrections: ((row: ListRow) => ListRow)[] = [
        (row) => ({ ...row, note: `${row.note}, corrected` }),
        (row) => ({ ...row, website: website() }),
        (row) => ({ ...row, website: 'not known' }),
      ];
      for (const correction of corrections) {
        const at = seed.random(list.length);
        list[at] = correction(list[at] as ListRow);
      }
      const broken = list.findIndex((row) => !row.website.includes('.'));
      list[broken] = { ...(list[broken] as ListRow), website: website() };
    },
  };
}

function without(some: Staff, person: string): Staff {
  return Object.fromEntries(Object.entries(some).filter(([id]) => id !== person));
}
