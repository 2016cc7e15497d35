import type { JobChoices, ListRead } from '../../../workbench/api.ts';

type Column = ListRead['columns'][number];

/** What a column can be chosen as: `identifier fqdn`, `country`, `key`, `nothing`. */
export function roleValue({ role, isKey }: Column): string {
  if (role.is === 'identifier') return `identifier ${role.as}`;
  return role.is === 'nothing' && isKey ? 'key' : role.is;
}

/** The columns to find companies by, in their order. */
export function identifiersOf({ columns }: Pick<ListRead, 'columns'>) {
  return columns
    .flatMap(({ name, role }) => (role.is === 'identifier' ? [{ ...role, column: name }] : []))
    .sort((one, other) => one.place - other.place)
    .map(({ column, as }) => ({ column, as }));
}

/** The choices of a job that make a column what the user has chosen. A new identifier is tried last. */
export function chooseRole(read: ListRead, column: Column, value: string): JobChoices {
  const { name, role, isKey } = column;
  const [is, as = 'auto'] = value.split(' ');
  const before = identifiersOf(read);
  const wasIdentifier = role.is === 'identifier';
  const entry = { column: name, as };
  const identify = wasIdentifier
    ? before.flatMap((one) => (one.column !== name ? [one] : is === 'identifier' ? [entry] : []))
    : [...before, entry];
  const country = { default: read.settings.country };
  return {
    ...((wasIdentifier || is === 'identifier') && { identify }),
    ...(is === 'country' && { country: { column: name, ...country } }),
    ...(is !== 'country' && role.is === 'country' && { country: { column: null, ...country } }),
    ...(is === 'key' && { key: name }),
    ...(is !== 'key' && isKey && role.is === 'nothing' && { key: null }),
  };
}

/** The places of the columns in the order of the grid: those that are used first, then the list's own. */
export function shownOrder({ columns }: Pick<ListRead, 'columns'>): number[] {
  const rank = ({ role, isKey }: Column) => {
    if (role.is === 'identifier') return role.place;
    if (role.is === 'country') return 1_000;
    return isKey ? 1_001 : 1_002;
  };
  return columns
    .map((column, index) => ({ index, rank: rank(column) }))
    .sort((one, other) => one.rank - other.rank || one.index - other.index)
    .map(({ index }) => index);
}

/**
 * A reading as it will be with these choices, as far as can be told before the list is read anew: a box
 * that was checked is checked at once, and the next choice is made on top of it.
 */
export function applyChoices(read: ListRead, choices: JobChoices): ListRead {
  const { headerRow, delimiter, encoding, people, country } = choices;
  const positions = read.settings.people?.positions ?? [];
  const settings = {
    ...read.settings,
    ...(headerRow !== undefined && { headerRow }),
    ...(delimiter !== undefined && { delimiter }),
    ...(encoding !== undefined && { encoding }),
    ...(people !== undefined && { people: people && { ...people, positions } }),
    ...(country && { country: country.default }),
  };
  return { ...read, settings, columns: read.columns.map((column) => apply(column, choices)) };
}

function apply(column: Column, { identify, country, key }: JobChoices): Column {
  const { name } = column;
  const isKey = key === undefined ? column.isKey : key === name;
  const place = identify?.findIndex((entry) => entry.column === name) ?? -1;
  const entry = identify?.[place];
  if (entry)
    return { ...column, isKey, role: { is: 'identifier', place: place + 1, as: entry.as } };
  const wasIdentifier = identify !== undefined && column.role.is === 'identifier';
  const wasCountry = country !== undefined && column.role.is === 'country';
  if (country?.column === name) return { ...column, isKey, role: { is: 'country' } };
  return wasIdentifier || wasCountry
    ? { ...column, isKey, role: { is: 'nothing' } }
    : { ...column, isKey };
}
