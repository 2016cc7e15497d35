import { isCommonName, uncommonWords } from './compare-names.ts';
import { legalFormsIn } from './fold-name.ts';

/** An entity that has the name, as far as choosing needs it. */
export interface NamedEntity {
  readonly value: string;
  readonly isActive: boolean;
  readonly isPerson: boolean;
  /** A main or business name. Trading and former names are not kept up to date. */
  readonly isRegistered: boolean;
  readonly state: string | null;
  readonly postcode: string | null;
}

export interface Place {
  readonly state?: string | undefined;
  readonly postcode?: string | undefined;
}

type Choice<Entity> =
  | { readonly chosen: Entity }
  | { readonly reject: 'name_not_found' | 'name_ambiguous' };

/**
 * Chooses among the entities whose folded name is the same. `isShared` says that other companies
 * have names that begin with this one word.
 */
export function chooseEntity<Entity extends NamedEntity>(
  fold: string,
  named: readonly Entity[],
  place: Place,
  isShared: () => boolean,
): Choice<Entity> {
  const registered = named.filter((one) => one.isRegistered);
  const holders = (registered.length > 0 ? registered : named).filter(
    // A sole trader is never the company.
    (one) => one.isActive && !one.isPerson,
  );
  const [only, ...others] = holders;
  if (!only) return { reject: 'name_not_found' };
  const isNear = isCommonName(fold) || (!fold.includes(' ') && isShared());
  const isFar = isElsewhere(only, place, fold) || named.some((one) => isCloser(one, only, place));
  if (others.length === 0 && !isNear && !isFar) return { chosen: only };
  for (const agrees of [samePostcode, sameState]) {
    const near = holders.filter((one) => agrees(one, place));
    if (near.length > 1 || near.some((one) => isContradicted(one, holders, place))) break;
    // A state alone is too large to make a common name certain.
    if (near[0] && !(isNear && agrees === sameState)) return { chosen: near[0] };
  }
  return { reject: 'name_ambiguous' };
}

/** `Acme Plumbing` in another state may be another company, but `Wattle Blue Gum Farm` hardly. */
function isElsewhere(entity: NamedEntity, { state }: Place, fold: string) {
  const differs = state !== undefined && entity.state !== null && entity.state !== state;
  return differs && uncommonWords(fold).length < 2;
}

/** A cancelled company at the place of the row is meant rather than an active one elsewhere. */
function isCloser(one: NamedEntity, only: NamedEntity, place: Place) {
  return [samePostcode, sameState].some((agrees) => agrees(one, place) && !agrees(only, place));
}

/** The postcode of the row is that of one company, and its state that of another. */
function isContradicted(near: NamedEntity, holders: readonly NamedEntity[], place: Place) {
  if (near.state === null || sameState(near, place)) return false;
  return holders.some((one) => sameState(one, place));
}

function samePostcode({ postcode }: NamedEntity, place: Place) {
  return place.postcode !== undefined && postcode === place.postcode;
}

function sameState({ state }: NamedEntity, place: Place) {
  return place.state !== undefined && state === place.state;
}

/** Whether a registered name may be the one that has these legal forms in a list. */
export function fitsForms(forms: readonly string[], known: string, isOwnName: boolean): boolean {
  if (forms[0] === 'company') return isOwnName;
  return forms.length === 0 || legalFormsIn(known).join() === forms.join();
}

const stateWords: Readonly<Record<string, string>> = {
  'new south wales': 'NSW',
  queensland: 'QLD',
  'south australia': 'SA',
  tasmania: 'TAS',
  victoria: 'VIC',
  'western australia': 'WA',
  'northern territory': 'NT',
  'australian capital territory': 'ACT',
};

const statesByPostcode: readonly (readonly [RegExp, string])[] = [
  [/^(?:02|26[01]|29[01])/, 'ACT'],
  [/^0[89]/, 'NT'],
  [/^[12]/, 'NSW'],
  [/^[38]/, 'VIC'],
  [/^[49]/, 'QLD'],
  [/^5/, 'SA'],
  [/^6/, 'WA'],
  [/^7/, 'TAS'],
];

/** `Victoria, vic., NSW 2000 → VIC, VIC, NSW`. Without a state, that of the postcode. */
export function placeOf(state: string | undefined, postcode: string | undefined): Place {
  const word = state?.trim().toLowerCase().replaceAll('.', '') ?? '';
  const found = stateWords[word] ?? /^(?:nsw|qld|sa|tas|vic|wa|nt|act)\b/.exec(word)?.[0];
  const digits = /^\s*(\d{3,4})(?:\.0)?\s*$/.exec(postcode ?? '')?.[1]?.padStart(4, '0') ?? '';
  const [, byPostcode] = statesByPostcode.find(([start]) => start.test(digits)) ?? [];
  return { state: found?.toUpperCase() ?? byPostcode, postcode: digits || undefined };
}
