import yargs, { type CommandModule } from 'yargs';
import { DossierError, exitCodeOf } from '../core/errors.ts';
import {
  forgetSecrets,
  guardAddress,
  keepSecret,
  withoutSecrets,
} from '../core/runtime/log/known-secrets.ts';
import { packageVersion } from '../core/runtime/package-path.ts';
import { printable } from '../core/runtime/printable.ts';
import { heedSignalsAsFirstProcess } from '../core/runtime/shutdown.ts';
import { keyVariable } from '../job/read-address.ts';
import { type AnyCommand, dashed, hideDashes, parsed } from './command.ts';
import { commands, everyday } from './commands.ts';
import { explainUsage } from './explain-usage.ts';
import {
  eventLine,
  failureEvents,
  failureText,
  wantsEvents,
  wantsJson,
} from './terminal/errors.ts';
import { guardTerminal, writeError, writeOut } from './terminal/terminal.ts';
import { rememberJob } from './terminal/text.ts';

/** Runs one command line and returns the exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  // A process may run several command lines: nothing of one shows in the next.
  forgetSecrets();
  rememberJob(undefined);
  // What goes to a pipe or a file is data and stays as it is.
  if (process.stdout.isTTY) guardTerminal(process.stdout);
  guardTerminal(process.stderr);
  if (wantsEvents(argv)) logWarnings();
  endOnBrokenStreams();
  // Node would print an uncaught error without redacting secrets.
  process.on('uncaughtException', (error) => process.exit(report(error, argv)));
  // A crash of any command could print the environment, so the key is redacted from the start.
  keepSecret(process.env[keyVariable]?.trim() ?? '');
  for (const word of argv) guardAddress(word.replace(/^--[\w-]+=/, ''));
  heedSignalsAsFirstProcess();
  try {
    await parse(argv.length === 0 ? ['--help'] : argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // yargs wraps an error that an option's reader throws in a YError with the same message.
    const isUsage = error instanceof Error && error.name === 'YError';
    const told = isUsage ? await explained(error, argv) : error;
    if (wantsJson(argv)) {
      const { failedRun } = await import('./run/ending.ts');
      writeOut(`${printable(JSON.stringify(failedRun(told)))}\n`);
    }
    return report(told, argv);
  }
}

/** Replaces a message of yargs by one that says what to type instead. */
async function explained({ message, ...error }: Error, argv: readonly string[]) {
  const words = argv.filter((word) => !word.startsWith('-'));
  const [entry] = commandsOf(words);
  const options = Object.keys((entry && (await load(entry)).options) ?? {})
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(entry?.[1][0] ?? ''))
    .map(dashed);
  const known = [...options, 'json', 'help', 'version'];
  const told = explainUsage(message, argv, entries.map(usageOf), known);
  return new DossierError('USAGE', told, { cause: error });
}

/** What `dossier … --help` prints; docs/cli.md is made from it. */
export async function helpOf(words: readonly string[]): Promise<string> {
  const program = await createProgram(words, [], 80);
  return new Promise((resolve) => {
    program.parse([...words, '--help'], {}, (_error, _argv, output) => resolve(output));
  });
}

async function parse(argv: readonly string[]): Promise<void> {
  // yargs makes the help of every command that runs. It takes 3 times as long where lines are wrapped.
  const isHelp = argv.some((word) => /^(?:--help|-\w*h\w*|help)$/.test(word));
  const width = isHelp ? Math.min(100, process.stderr.columns ?? 80) : null;
  const words = argv[0] === '--get-yargs-completions' ? argv.slice(2) : argv;
  await (await createProgram(words, argv, width)).parseAsync();
}

type Entry = readonly [name: string, command: (typeof commands)[keyof typeof commands]];
const entries: readonly Entry[] = Object.entries(commands);

/** The commands that the words of a command line name: one, or those of a group. */
function commandsOf([first, second]: readonly string[]): Entry[] {
  const named = entries.filter(([name]) => name === first || name === `${first} ${second}`);
  return named.length > 0 ? named : entries.filter(([name]) => name.startsWith(`${first} `));
}

/** The file of a command exports it by its name, without that of its group. */
async function load([name, [, , open]]: Entry): Promise<AnyCommand> {
  const file: Readonly<Record<string, unknown>> = await open();
  return file[name.replace(/.* /, '')] as AnyCommand;
}

/** `run <job>` */
function usageOf([name, [positionals]]: Entry): string {
  return `${name} ${positionals}`.trimEnd();
}

/** The commands as yargs takes them. Those that are not named have their help alone. */
async function modulesOf(words: readonly string[], isAll: boolean): Promise<CommandModule[]> {
  const named = commandsOf(words);
  const modulesIn = async (group: string) => {
    const inGroup = entries.filter(([name]) => name.includes(' ') === (group !== ''));
    const modules = inGroup.map(async (entry) => {
      const [name, [, describe]] = entry;
      const command = usageOf(entry).replace(group, '');
      const isShown = isAll || everyday.includes(name) || group !== '';
      const stub = { command, describe: isShown && describe, handler() {} };
      return named.includes(entry) ? { ...stub, ...parsed(command, await load(entry)) } : stub;
    });
    return (await Promise.all(modules)) as CommandModule[];
  };
  const actions = await modulesIn('ledger ');
  const ledger: CommandModule = {
    command: 'ledger <action>',
    describe: isAll && 'Look after the ledger: its size, copies, health, and what it keeps',
    builder: (args) => args.command(actions),
    // yargs comes here only where the word is none of the commands, and says no more of it than this.
    handler: ({ action }) => refuse(`Unknown argument: ${action}`),
  };
  return [...(await modulesIn('')), ledger];
}

/** Throws as yargs does. */
function refuse(message: string): never {
  throw Object.assign(new Error(message), { name: 'YError' });
}

async function createProgram(
  words: readonly string[],
  argv: readonly string[],
  width: number | null,
) {
  const isCompletion = argv[0] === '--get-yargs-completions';
  const names = Object.keys(commands).map((name) => name.replace(/ .*/, ''));
  const others = new Set(names.slice(everyday.length));
  return (
    yargs(hideDashes(joinRefresh(argv)))
      .scriptName('dossier')
      .usage('$0 <command>\n\nTurns a list of company identifiers into company and people records.')
      .command(await modulesOf(words, isCompletion))
      .middleware(({ job }) => rememberJob(typeof job === 'string' ? job : undefined))
      .completion('completion', false, offerWords)
      .demandCommand(1, 'No command was given.')
      .strict()
      .parserConfiguration({ 'duplicate-arguments-array': true, 'parse-numbers': false })
      .version(packageVersion())
      .alias({ h: 'help', v: 'version' })
      .wrap(width)
      .epilogue(
        `More: ${[...others].join(', ')}, completion (for bash and zsh)\nAdd --help after any command. Documents: README.md and docs/ of the package.`,
      )
      // yargs runs the command in spite of the mistake if this function returns, so it throws.
      .fail((message, error) => {
        throw error ?? refuse(message);
      })
  );
}

/** `--refresh older-than 7d` is typed as two words and read as one value. No word holds the character between them. */
function joinRefresh(words: readonly string[]): string[] {
  const line = words.join('\0').replace(/(--refresh[=\0]older-than)\0(?!-)/, '$1 ');
  return line.split('\0');
}

/** Prints an error and returns its exit code. The log of a run may be JSON, and holds nothing else then. */
function report(error: unknown, argv: readonly string[]): number {
  writeError(wantsEvents(argv) ? failureEvents(error, argv) : failureText(error, process.stderr));
  return exitCodeOf(error);
}

/** Turns warnings of Node, which it would print as plain text, into events. */
function logWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) =>
    writeError(eventLine('warn', 'node.warning', { name, message: withoutSecrets(message) })),
  );
}

function endOnBrokenStreams(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A closed pipe is a success: in `dossier identify … | head`, head has read all that it wants.
    if (error.code === 'EPIPE') process.exit();
    // Thrown, so that the last words of a log are those of the run.
    throw new DossierError('OUTPUT_TROUBLE', `standard output: ${error.message}`);
  });
  // The command goes on without its messages when standard error is closed.
  process.stderr.on('error', () => {});
}

/** Flags are offered only after a dash: without an offer, the shell completes file names. */
function offerWords(
  typed: string,
  _argv: unknown,
  offer: (done: (error: Error | null, words?: readonly string[]) => void) => void,
  done: (words: string[]) => void,
): void {
  offer((_error, words = []) =>
    done(words.filter((word) => typed.startsWith('-') || !word.startsWith('-'))),
  );
}
