import { createInterface } from 'node:readline';
import { type Country, countries, defaultCountry } from '../../contract/countries.ts';
import { parseCountry } from '../../identify/parse-country.ts';
import type { ListFindings } from '../../overview/lists/inspect-list.ts';

export interface InitAnswers {
  readonly country: Country;
  readonly hasPeople: boolean;
}

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };
type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Asks for what the list does not say. Without a terminal it takes the defaults. */
export async function askQuestions(
  { columns }: Pick<ListFindings, 'columns'>,
  input: Input,
  output: Output,
): Promise<InitAnswers> {
  const defaults = { country: defaultCountry, hasPeople: false } as const;
  if (!input.isTTY || !output.isTTY) return defaults;
  // One iterator over all lines keeps a line that is typed before its question appears.
  const lines = createInterface({ input, terminal: false });
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    output.write(question);
    const { value, done } = await answers.next();
    // After Ctrl-D the remaining questions take their defaults.
    return done ? '' : value;
  };
  try {
    output.write('\n');
    const which = columns.country ? 'Country of rows that name none' : 'Country of the companies';
    const country = await askCountry(`${which} [${defaultCountry}]: `, ask, output);
    const people = await ask('Search for people of each company, too? [y/N]: ');
    return { country, hasPeople: /^\s*y/i.test(people) };
  } finally {
    lines.close();
  }
}

async function askCountry(
  question: string,
  ask: (question: string) => Promise<string>,
  output: Output,
): Promise<Country> {
  for (;;) {
    const given = await ask(question);
    if (given.trim() === '') return defaultCountry;
    const country = parseCountry(given);
    if (typeof country === 'string') return country;
    output.write(`One of ${countries.join(', ')}, please.\n`);
  }
}
