import type { JobChoices, ListRead } from '../../../workbench/api/list-read.ts';

type Column = ListRead['columns'][number];

/** What a column can be chosen as: `identifier 2`, `country`, `key`, `nothing`. */
export function roleValue({ role, isKey }: Column): string {
  if (role.is === 'identifier') return `identifier ${role.place}`;
  return role.is === 'nothing' && isKey ? 'key' : role.is;
}

/** The columns to find companies by, in their order. */
export function identifiersOf({ columns }: Pick<ListRead, 'columns'>) {
  return columns
    .flatMap(({ name, role }) => (role.is === 'identifier' ? [{ ...role, column: name }] : []))
    .sort((one, other) => one.place - other.place)
    .map(({ column, as }) => ({ column, as }));
}

/** The choices of a job that make a column what the user has chosen. */
export function chooseRole(read: ListRead, column: Column, value: string): JobChoices {
  const { name, role, isKey } = column;
  const others = identifiersOf(read).filter((entry) => entry.column !== name);
  const [is, place] = value.split(' ');
  const entry = { column: name, as: role.is === 'identifier' ? role.as : 'auto' };
  const identify = is === 'identifier' ? others.toSpliced(Number(place) - 1, 0, entry) : others;
  const isIdentifier = role.is === 'identifier' || is === 'identifier';
  const country = { default: read.settings.country };
  return {
    ...(isIdentifier && { identify }),
    ...(is === 'country' && { country: { column: name, ...country } }),
    ...(is !== 'country' && role.is === 'country' && { country: { column: null, ...country } }),
    ...(is === 'key' && { key: name }),
    ...(is !== 'key' && isKey && role.is === 'nothing' && { key: null }),
  };
}

/** The choices that read a column of identifiers as another kind. */
export function chooseKind(read: ListRead, { name }: Column, as: string): JobChoices {
  const identify = identifiersOf(read).map((entry) =>
    entry.column === name ? { column: name, as } : entry,
  );
  return { identify };
}
