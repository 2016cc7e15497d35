import { commands } from '../../src/cli/commands.ts';
import { exitCodes } from '../../src/core/errors/exit-codes.ts';
import { errorCatalog } from '../../src/core/errors.ts';
import { helpOf } from './help-of.ts';
import { jsonShapes } from './json-shapes.ts';
import { table } from './markdown.ts';

/** The text of docs/cli.md: the help of each command, exit codes and the shapes of `--json`. */
export async function cliPage(): Promise<string> {
  const overview = await helpOf([]);
  const sections = [];
  for (const name of Object.keys(commands)) sections.push(await commandSection(name));
  return `<!-- Made from the sources by \`npm run docs\`; edit there. -->

# The command line

Data goes to standard output, talk to standard error. A flag comes before the environment
(\`DOSSIER_URL\`, \`DOSSIER_API_KEY\`, \`DOSSIER_REGISTER\`, \`DOSSIER_SHARE\`), that before the job file, then defaults.
A job's own \`ledger:\` comes before \`DOSSIER_LEDGER\`, which replaces only the ledger of the user.

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
wrong command line and of a bug. What is not known by then is null.`,
  fix: `

Otherwise \`fix --json\` ends with the object of \`run --json\`; its \`notes\` begin with what was kept and what was not.`,
};

/** The section of a command. */
async function commandSection(name: string): Promise<string> {
  const help = await helpOf(name.split(' '));
  const json = Object.entries(jsonShapes)
    .filter(([command]) => command === name || command.startsWith(`${name} --`))
    .map(([command, shape]) => `\n\n\`${command} --json\` prints:\n\n${shape}`)
    .join('');
  return `## dossier ${name}\n\n${block(help)}${json}${jsonNotes[name] ?? ''}`;
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
