import { commands } from '../../src/cli/commands.ts';
import type { AnyCommand } from '../../src/cli/parts/command.ts';
import { dashed } from '../../src/cli/terminal/text.ts';
import { jsonSchemas } from './json-shapes.ts';

/** The text of docs/cli.md: usage, options and examples. */
export async function cliPage(): Promise<string> {
  const all = await Promise.all(
    Object.entries(commands).map(async ([name, [positionals, describe, open]]) => {
      const file = (await open()) as unknown as Readonly<Record<string, AnyCommand>>;
      const { options, examples, epilogue } = file[name.replace(/.* /, '')] as AnyCommand;
      return { name, positionals, describe, options, examples, epilogue };
    }),
  );
  const users = Map.groupBy(all.flatMap(optionsOf), ({ key }) => key);
  const shared = [...users.values()].filter((each) => each.length >= leastUsers);
  const isShared = ({ key }: DocumentedOption) => shared.some(([first]) => first?.key === key);
  const sections = all.map((command) => commandSection(command, isShared));
  return `<!-- Made from the sources by \`npm run docs\`; edit there. -->

# The command line

\`dossier <command> --help\` prints all options. Data goes to standard output, everything else to standard error.
A flag comes before the environment (\`DOSSIER_URL\`, \`DOSSIER_API_KEY\`, \`DOSSIER_REGISTER\`, \`DOSSIER_SHARE\`), that before
the job file, then defaults. A job's own \`ledger:\` comes before \`DOSSIER_LEDGER\`, which replaces only the ledger of the user.

[exit-codes.md](exit-codes.md) lists exit codes and errors. An error has a remedy and a code, which is never reused.
In a terminal it ends with the code, elsewhere it begins with it.
[json.md](json.md) lists what \`--json\` prints.

## Options of several commands

${shared.map(([first]) => (first ? optionLine(first) : '')).join('\n')}

${sections.join('\n\n')}
`;
}

/** An option with one text in so many commands is described once. */
const leastUsers = 3;

interface DocumentedCommand extends Pick<AnyCommand, 'options' | 'examples'> {
  readonly epilogue: string | undefined;
  readonly name: string;
  readonly positionals: string;
  readonly describe: string;
}

interface DocumentedOption {
  readonly key: string;
  readonly name: string;
  readonly describe: string;
  readonly choices: readonly string[] | undefined;
  readonly fallback: unknown;
}

/** Without arguments that the usage explains, and `--json`. */
function optionsOf({ options, positionals }: DocumentedCommand): DocumentedOption[] {
  return Object.entries(options)
    .filter(([name]) => name !== 'json')
    .map(([name, { describe, choices, fallback }]) => {
      const isArgument = new RegExp(`[[<]${name}[\\].>]`).test(positionals);
      const shown = isArgument ? `<${name}>` : `--${dashed(name)}`;
      return { key: `${shown} ${describe}`, name: shown, describe, choices, fallback };
    });
}

function optionLine({ name, describe, choices, fallback }: DocumentedOption) {
  const isSaid = choices?.every((choice) => describe.includes(choice));
  const values = choices && !isSaid ? `: ${choices.join(', ')}` : '';
  const hasDefault = !['', 'false', 'true', 'undefined'].includes(String(fallback));
  const byDefault = hasDefault && !describe.includes('default') ? ` (default: ${fallback})` : '';
  return `- \`${name}\`: ${describe}${values}${byDefault}`;
}

function commandSection(
  command: DocumentedCommand,
  isShared: (option: DocumentedOption) => boolean,
): string {
  const { name, positionals, describe, examples, epilogue } = command;
  const options = optionsOf(command);
  const own = options.filter((option) => !isShared(option)).map(optionLine);
  const others = options.filter(isShared).map((option) => `\`${option.name}\``);
  const lines = Object.entries(examples).map(
    ([line, about]) => `${line.replace('$0', 'dossier')}  # ${about}`,
  );
  return [
    `## dossier ${name}`,
    `\`dossier ${`${name} ${positionals}`.trim()}\`: ${describe}.`,
    own.join('\n'),
    others.length > 0 ? `${own.length > 0 ? 'Also' : 'Options'}: ${others.join(', ')}` : '',
    lines.length > 0 ? `\`\`\`sh\n${lines.join('\n')}\n\`\`\`` : '',
    epilogue?.replaceAll('\n', ' '),
    Object.hasOwn(jsonSchemas, name) ? `[\`--json\`](json.md#${name.replace(' ', '-')})` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}
