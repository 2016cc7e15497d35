import { helpOf } from '../../src/cli/program.ts';
import { errorCatalog, exitCodes } from '../../src/errors.ts';
import { jsonShapes } from './json-shapes.ts';
import { table } from './markdown.ts';

/** The text of docs/cli.md: the help of each command, exit codes and the shapes of `--json`. */
export async function cliPage(): Promise<string> {
  const overview = await helpOf([]);
  const commands = [...overview.matchAll(/^ {2}dossier ([a-z]+)/gm)].map(([, name = '']) => name);
  const sections = [];
  for (const name of commands) sections.push(await commandSection(name));
  return `<!-- Made from the sources by \`npm run docs\`; edit there. -->

# The command line

Data goes to standard output, talk to standard error. A flag comes before the environment
(\`DOSSIER_URL\`, \`DOSSIER_API_KEY\`, \`DOSSIER_LEDGER\`), that before the job file, then defaults.

${block(overview)}

${sections.join('\n\n')}

## Exit codes

[exit-codes.md](exit-codes.md) says what to do about each.

${exitCodeTable()}

## Errors

Every stop on purpose has a code, which is printed first and never reused, and a remedy.

${errorTable()}
`;
}

/** Notes on `--json` that the tables of fields do not hold. */
const jsonNotes: Readonly<Record<string, string>> = {
  run: `

It is printed at every end but a \`kill -9\`: of a run that finished (0, 3), of one that stopped or failed, of a
wrong command line and of a bug. What is not known by then is null. With \`--dry-run\` a plan is printed in
its place, unless that fails.`,
};

async function commandSection(name: string): Promise<string> {
  const shape = jsonShapes[name];
  const json = shape ? `\n\n\`${name} --json\` prints:\n\n${shape}${jsonNotes[name] ?? ''}` : '';
  return `## dossier ${name}\n\n${block(await helpOf([name]))}${json}`;
}

function block(text: string): string {
  return `\`\`\`text\n${text.replace(/ +$/gm, '')}\n\`\`\``;
}

function exitCodeTable(): string {
  return table(
    ['exit', 'means'],
    Object.entries(exitCodes).map(([code, { means }]) => [code, means]),
  );
}

function errorTable(): string {
  const rows = Object.entries(errorCatalog)
    .toSorted(([, one], [, other]) => one.exitCode - other.exitCode)
    .map(([code, { exitCode, remedy }]) => [code, String(exitCode), remedy]);
  return table(['code', 'exit', 'remedy'], rows);
}
