import { styleText } from 'node:util';
import { counted, minuteOf, shortened, widthOf, wrapped } from '../terminal/text.ts';
import { companyFacts, textOf } from './lookup-facts.ts';
import type { LookupJson } from './lookup-json.ts';

const indent = '  ';
const labelWidth = 14;

/** The company as a card and its people as a table, both fitted to the terminal. */
export function lookupText(json: LookupJson, stream: NodeJS.WriteStream): string {
  const width = widthOf(stream);
  const bold = (text: string) => styleText('bold', text, { stream });
  const dim = (text: string) => styleText('dim', text, { stream });
  const origin = wrapped(originOf(json), width - indent.length).map((line) => dim(indent + line));
  if (json.status !== 'matched') {
    const { kind, value } = json.identifier;
    const title = shortened(`no company for ${kind} ${value} in ${json.country}`, width);
    const message = wrapped(textOf(json.message), width - indent.length);
    return joined([bold(title), ...message.map((line) => indent + line), '', ...origin]);
  }
  const company = json.company as Record<string, unknown>;
  const room = width - indent.length - labelWidth;
  const facts = companyFacts(company).map(
    ([label, value]) => `${indent}${label.padEnd(labelWidth)}${shortened(value, room)}`,
  );
  const description = shortened(textOf(company.description), 4 * width);
  return joined([
    bold(shortened(textOf(company.name) || textOf(company.id), width)),
    ...(company.tagline ? [indent + shortened(textOf(company.tagline), width - 2)] : []),
    '',
    ...facts,
    ...(description ? ['', ...wrapped(description, width - 2).map((line) => indent + line)] : []),
    '',
    ...origin,
    ...peopleTable(json, width, { bold, dim }),
  ]);
}

const sources = {
  called: 'asked the service just now',
  reused: 'from the ledger, no call was made',
  joined: 'from the ledger, where it was stored under another identifier; no call was made',
} as const;

const matches = {
  exact: 'exact match',
  alias: 'known under this identifier, too',
  joined: 'carries this identifier',
  mismatch: 'MISMATCH: the company does not carry this identifier',
  unverified: 'unverified: the answer does not tell its identifier',
} as const;

function originOf({ match, identifier, country, source, fetchedAt }: LookupJson): string {
  const asked = `${identifier.kind} ${identifier.value} in ${country}`;
  const verdict = match === null ? '' : `: ${matches[match]}`;
  return `${asked}${verdict}. Answer of ${minuteOf(Date.parse(fetchedAt))}, ${sources[source]}.`;
}

const channels = [
  ['has_email', 'e-mail'],
  ['has_personal_email', 'private'],
  ['has_phone', 'phone'],
  ['has_dnd_phone', 'dnd phone'],
  ['has_mobile', 'mobile'],
] as const;

type Style = (text: string) => string;

function peopleTable(
  { people, peopleComplete, failedSearches }: LookupJson,
  width: number,
  { bold, dim }: { bold: Style; dim: Style },
): string[] {
  if (!people) return [];
  const note = noteOnPeople(peopleComplete, failedSearches).map((text) => indent + text);
  const rows = people.map((person) => [
    textOf(person.position),
    textOf(person.network),
    channels.flatMap(([flag, name]) => (person[flag] === true ? [name] : [])).join(', '),
  ]);
  const title = bold(counted(people.length, 'person', 'people'));
  if (rows.length === 0) return ['', title, ...note];
  const [position, network] = columnWidths(rows, width - indent.length);
  const line = ([first = '', second = '', third = '']: readonly string[]) => {
    const start = `${filled(first, position)}  ${filled(second, network)}`;
    return `${indent}${start}  ${shortened(third, width - indent.length - start.length - 2)}`.trimEnd();
  };
  return ['', title, dim(line(['position', 'network', 'reached by'])), ...rows.map(line), ...note];
}

function noteOnPeople(isComplete: boolean | undefined, failedSearches: number): string[] {
  if (failedSearches === 0) return isComplete === false ? ['There may be more than these.'] : [];
  const failed = counted(failedSearches, 'people search', 'people searches');
  return [`${failed} got no answer; look again to retry`];
}

/** Position gets at most 36% of the width and network 25%; the last column takes the rest. */
function columnWidths(rows: readonly string[][], width: number): [number, number] {
  const longest = (index: number) =>
    Math.max(8, ...rows.map((row) => [...(row[index] ?? '')].length));
  const position = Math.min(longest(0), Math.floor(width * 0.36));
  return [position, Math.min(longest(1), Math.floor(width / 4))];
}

function filled(text: string, width: number): string {
  const short = shortened(text, width);
  return short + ' '.repeat(Math.max(0, width - [...short].length));
}

function joined(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
