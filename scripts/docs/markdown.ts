import { readFileSync } from 'node:fs';
import { packagePath } from '../../src/platform/package-path.ts';

/** A Markdown table; a bar inside a cell is escaped. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** `id`, `name` */
export function codes(names: readonly string[], between = ', '): string {
  return names.map((name) => `\`${name}\``).join(between);
}

/**
 * The page with its generated parts made anew: `<!-- made: types -->` begins the part `types`, and
 * `<!-- end -->` ends it. All else is written by hand.
 */
export function fillIn(page: string, parts: Readonly<Record<string, string>>): string {
  const missing = new Set(Object.keys(parts));
  const text = readFileSync(packagePath(page), 'utf8').replaceAll(
    /(<!-- made: (\w+) -->).*?(?=<!-- end -->)/gs,
    (_, mark: string, name: string) => {
      const part = parts[name];
      if (part === undefined) throw new Error(`${page} has an unknown part ${name}`);
      missing.delete(name);
      return mark + (part.includes('\n') ? `\n\n${part}\n\n` : part);
    },
  );
  if (missing.size > 0) throw new Error(`${page} lacks ${[...missing].join(', ')}`);
  return text;
}
