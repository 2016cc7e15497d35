/**
 * Gives every column a unique name: `name, name, "" → name, name_2, column_3`. An invented name is
 * never one that the header uses for another column.
 */
export function nameColumns(header: readonly (string | undefined)[]): string[] {
  const wanted = header.map((cell) => (cell ?? '').trim());
  const taken = new Set<string>();
  const reserved = new Set(wanted);
  return wanted.map((cell, index) => {
    const isFree = cell !== '' && !taken.has(cell);
    const name = isFree ? cell : inventName(cell, index);
    taken.add(name);
    return name;
  });

  function inventName(cell: string, index: number): string {
    const stem = cell === '' ? 'column' : cell;
    let number = cell === '' ? index + 1 : 2;
    while (taken.has(`${stem}_${number}`) || reserved.has(`${stem}_${number}`)) number += 1;
    return `${stem}_${number}`;
  }
}
