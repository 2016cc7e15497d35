import { fieldRows } from './field-table.ts';
import { jsonSchemas } from './json-shapes.ts';

/** The text of docs/json.md: the shapes of `--json`. */
export function jsonPage(): string {
  const known = new Map<string, KnownField>();
  const sections = Object.entries(jsonSchemas).map(
    ([command, schema]) =>
      `## ${command}\n\n${fieldList(command, schema, known)}${notes[command] ?? ''}`,
  );
  return `<!-- Made from the sources by \`npm run docs\`; edit there. -->

# What \`--json\` prints

One JSON object for each command. A field that has the same name and meaning as one above is only named.

${sections.join('\n\n')}
`;
}

const notes: Readonly<Record<string, string>> = {
  run: `

It is printed at every end but a \`kill -9\`: of a run that finished (0, 3), of one that stopped or failed, of a
wrong command line and of a bug. What is not known by then is null.`,
  'fix --drop': `

Otherwise \`fix --json\` ends with the object of \`run --json\`; its \`notes\` begin with what was kept and what was not.`,
};

interface KnownField {
  readonly command: string;
  readonly isNullable: boolean;
}

/** Fields that have the same name, type and meaning as one above are only named. */
function fieldList(
  command: string,
  schema: (typeof jsonSchemas)[string],
  known: Map<string, KnownField>,
): string {
  const lines: string[] = [];
  const repeated = new Map<string, string[]>();
  let skipped: string | undefined;
  for (const [path, type, about] of fieldRows(schema)) {
    const [, parent = '', field = path] = /^(.*\.)?([^.]+)$/.exec(path) ?? [];
    const plain = type.replace(/ or null$/, '');
    const key = `${field} ${plain} ${about}`;
    const earlier = about === '' ? undefined : known.get(key);
    const isNullable = plain !== type;
    if (earlier && (earlier.isNullable || !isNullable)) {
      const isInside = skipped !== undefined && /^[.[]/.test(path.slice(skipped.length));
      if (skipped !== undefined && path.startsWith(skipped) && isInside) continue;
      skipped = path;
      const place = `${parent}|${earlier.command}`;
      repeated.set(place, [...(repeated.get(place) ?? []), `\`${field}\``]);
      continue;
    }
    skipped = undefined;
    known.set(key, { command, isNullable });
    lines.push(`- \`${path}\` (${type})${about === '' ? '' : `: ${about}`}`);
  }
  for (const [place, fields] of repeated) {
    const [parent = '', source = ''] = place.split('|');
    const inside = parent === '' ? '' : `\`${parent.slice(0, -1)}\`: `;
    const from = source === command ? 'as above' : `as of \`${source}\``;
    lines.push(`- ${inside}${fields.join(', ')} ${from}`);
  }
  return lines.join('\n');
}
