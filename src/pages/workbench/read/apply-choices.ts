import type { JobChoices, ListRead } from '../../../workbench/api/list-read.ts';

type Column = ListRead['columns'][number];

/**
 * A reading as it will be with these choices, as far as can be told before the list is read anew: a box
 * that was checked is checked at once, and the next choice is made on top of it.
 */
export function applyChoices(read: ListRead, choices: JobChoices): ListRead {
  const { headerRow, delimiter, encoding, perStart, price, people, country } = choices;
  const positions = read.settings.people?.positions ?? [];
  const settings = {
    ...read.settings,
    ...(headerRow !== undefined && { headerRow }),
    ...(delimiter !== undefined && { delimiter }),
    ...(encoding !== undefined && { encoding }),
    ...(perStart !== undefined && { perStart }),
    ...(price !== undefined && { price }),
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
