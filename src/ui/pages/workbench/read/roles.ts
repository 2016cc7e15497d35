import type { ListRead } from '../../../workbench/api/answers.ts';
import type { JobChoices } from '../../../workbench/api/requests.ts';

type Column = ListRead['columns'][number];

/** `identifier fqdn`, `country`, `key` or `nothing`. */
export function roleValue({ role, isKey }: Column): string {
  if (role.is === 'identifier') return `identifier ${role.as}`;
  return role.is === 'nothing' && isKey ? 'key' : role.is;
}

/** In the order in which they are tried. */
export function identifiersOf({ columns }: ListRead) {
  return columns
    .flatMap(({ name, role }) => (role.is === 'identifier' ? [{ ...role, column: name }] : []))
    .sort((one, other) => one.rank - other.rank)
    .map(({ column, as }) => ({ column, as }));
}

/** A new identifier is tried last. */
export function chooseRole(read: ListRead, column: Column, value: string): JobChoices {
  const { name, role, isKey } = column;
  const [is, as = 'auto'] = value.split(' ');
  const before = identifiersOf(read);
  const wasIdentifier = role.is === 'identifier';
  const entry = { column: name, as };
  const identify = wasIdentifier
    ? before.flatMap((one) => (one.column !== name ? [one] : is === 'identifier' ? [entry] : []))
    : [...before.filter((one) => as !== 'name' || one.as !== 'name'), entry];
  const country = { default: read.settings.country };
  return {
    ...((wasIdentifier || is === 'identifier') && { identify }),
    ...(is === 'country' && { country: { column: name, ...country } }),
    ...(is !== 'country' && role.is === 'country' && { country: { column: null, ...country } }),
    ...(is === 'key' && { key: name }),
    ...(is !== 'key' && isKey && role.is === 'nothing' && { key: null }),
  };
}

/** The name of the company stays in sight, in front of the identifiers. */
export function shownOrder({ columns }: ListRead): number[] {
  const rank = ({ role, isKey, isName }: Column) => {
    if (isName) return 0;
    if (role.is === 'identifier') return role.rank;
    if (role.is === 'country') return 1_000;
    return isKey ? 1_001 : 1_002;
  };
  return columns
    .map((column, index) => ({ index, rank: rank(column) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ index }) => index);
}

/** Lets the next choice build on these choices before the list is read again. */
export function applyChoices(read: ListRead, choices: JobChoices): ListRead {
  const { people: chosen, country, ...others } = choices;
  const { identify, key } = choices;
  const { people } = read.settings;
  const settings = {
    ...read.settings,
    ...others,
    ...(chosen !== undefined && {
      people: chosen && { ...chosen, positions: people?.positions ?? [] },
    }),
    ...(country && { country: country.default }),
  };
  const roleOf = ({ name, role }: Column): Column['role'] => {
    const at = identify?.findIndex(({ column }) => column === name) ?? -1;
    const entry = identify?.[at];
    if (entry) return { is: 'identifier', rank: at + 1, as: entry.as };
    if (country?.column === name) return { is: 'country' };
    const isGone = (identify && role.is === 'identifier') || (country && role.is === 'country');
    return isGone ? { is: 'nothing' } : role;
  };
  const columns = read.columns.map((column) => ({
    ...column,
    isKey: key === undefined ? column.isKey : key === column.name,
    role: roleOf(column),
  }));
  return { ...read, settings, columns };
}
