/** `nextGen → next_gen`, `HQ Location → hq_location`, `会社 名 → 会社_名` */
export function snakeCase(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

/** The first of equal names keeps it; the next are `name_2`, `name_3`. */
export function makeUnique(names: readonly string[], taken: readonly string[] = []): string[] {
  const used = new Set(taken);
  return names.map((name) => {
    let unique = name;
    for (let count = 2; used.has(unique); count += 1) unique = `${name}_${count}`;
    used.add(unique);
    return unique;
  });
}
