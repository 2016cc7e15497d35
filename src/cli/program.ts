import yargs, { type CommandModule } from 'yargs';
import { DossierError, exitCodeOf } from '../errors.ts';
import { keyVariable } from '../job/read-key.ts';
import { forgetSecrets, guardAddress, keepSecret } from '../runtime/log/known-secrets.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { heedSignalsAsFirstProcess } from '../runtime/shutdown.ts';
import { dashed, hideDashes, parsed } from './command.ts';
import { commands, everyday } from './commands.ts';
import { completeWords } from './complete-words.ts';
import { explainUsage } from './explain-usage.ts';
import { forgetLastWords, sayLastWords } from './run/end/last-words.ts';
import { forgetRunJson, printRunJson } from './run/end/print-run-json.ts';
import {
  failureEvents,
  failureText,
  logWarnings,
  wantsEvents,
  wantsJson,
} from './terminal/errors.ts';
import { guardTerminal } from './terminal/guard-terminal.ts';
import { rememberJob } from './terminal/text.ts';

/** Runs one command line and returns the exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  forgetLastCommand();
  // What goes to a pipe or a file is data and stays as it is.
  if (process.stdout.isTTY) guardTerminal(process.stdout);
  guardTerminal(process.stderr);
  if (wantsEvents(argv)) logWarnings();
  exitQuietlyOnClosedPipe(argv);
  reportUncaughtErrors(argv);
  // A crash of any command could print the environment, so the key is redacted from the start.
  keepSecret(process.env[keyVariable]?.trim() ?? '');
  for (const word of argv) guardAddress(word.replace(/^--[\w-]+=/, ''));
  heedSignalsAsFirstProcess();
  try {
    if (argv.length === 0) {
      const { welcomeText } = await import('./welcome/welcome.ts');
      process.stdout.write(await welcomeText(process.cwd(), process.stdout));
      return 0;
    }
    await parse(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    const told = isUsage(error) ? await explained(error, argv) : error;
    if (wantsJson(argv)) await printFailure(told);
    return report(told, argv);
  }
}

/** A process may run several command lines: nothing of one shows in the next. */
function forgetLastCommand(): void {
  forgetSecrets();
  forgetLastWords();
  forgetRunJson();
  rememberJob(undefined);
}

/** Replaces a message of yargs by one that says what to type instead. */
async function explained({ message, ...error }: Error, argv: readonly string[]) {
  const words = argv.filter((word) => !word.startsWith('-'));
  const [entry] = commandsOf(words);
  const loaded = await entry?.[1][2]();
  const options = Object.keys(loaded && 'options' in loaded ? loaded.options : {})
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(entry?.[1][0] ?? ''))
    .map(dashed);
  const known = [...options, 'json', 'help', 'version'];
  const told = explainUsage(message, argv, Object.entries(commands).map(usageOf), known);
  return new DossierError('USAGE', told, { cause: error });
}

/** yargs wraps an error that an option's reader throws in a YError with the same message. */
function isUsage(error: unknown): error is Error {
  return error instanceof Error && error.name === 'YError';
}

/** What `dossier … --help` prints; docs/cli.md is made from it. */
export async function helpOf(words: readonly string[]): Promise<string> {
  const program = await createProgram(words, [], 80);
  return new Promise((resolve) => {
    program.parse([...words, '--help'], {}, (_error, _argv, output) => resolve(output));
  });
}

async function parse(argv: readonly string[]): Promise<void> {
  const width = asksForHelp(argv) ? Math.min(100, process.stderr.columns ?? 80) : null;
  const isCompletion = argv[0] === '--get-yargs-completions';
  const program = await createProgram(isCompletion ? argv.slice(2) : argv, argv, width);
  await program.parseAsync();
}

/** yargs makes the help of every command that runs. It takes 3 times as long where lines are wrapped. */
function asksForHelp(argv: readonly string[]): boolean {
  return argv.some((word) => /^(?:--help|-\w*h\w*|help)$/.test(word));
}

type Entry = readonly [name: string, command: (typeof commands)[keyof typeof commands]];

/** The commands that the words of a command line name: one, or those of a group. */
function commandsOf([first, second]: readonly string[]): Entry[] {
  const all: Entry[] = Object.entries(commands);
  const named = all.filter(([name]) => name === first || name === `${first} ${second}`);
  return named.length > 0 ? named : all.filter(([name]) => name.startsWith(`${first} `));
}

/** `run <job>` */
function usageOf([name, [positionals]]: Entry): string {
  return `${name} ${positionals}`.trimEnd();
}

/** The commands as yargs takes them. Those that are not named have their help alone. */
async function modulesOf(words: readonly string[], isAll: boolean): Promise<CommandModule[]> {
  const named = commandsOf(words).map(([name]) => name);
  const modules = Object.entries(commands).map(async (entry): Promise<CommandModule> => {
    const [name, [, describe, load]] = entry;
    const usage = usageOf(entry).replace(/^ledger /, '');
    const isShown = isAll || everyday.includes(name) || name.includes(' ');
    const stub = { command: usage, describe: isShown && describe, handler() {} };
    if (!named.includes(name)) return stub;
    const loaded = await load();
    const module = 'handler' in loaded ? loaded : parsed(usage, loaded);
    return { ...stub, ...module } as CommandModule;
  });
  const all = await Promise.all(modules);
  const inLedger = Object.keys(commands).map((name) => name.startsWith('ledger '));
  const ledger: CommandModule = {
    command: 'ledger <action>',
    describe: isAll && 'Look after the ledger: its size, copies, health, and what it keeps',
    builder: (args) => args.command(all.filter((_, at) => inLedger[at])),
    // yargs comes here only where the word is none of the commands, and says no more of it than this.
    handler({ action }) {
      throw Object.assign(new Error(`Unknown argument: ${action}`), { name: 'YError' });
    },
  };
  return [...all.filter((_, at) => !inLedger[at]), ledger];
}

async function createProgram(
  words: readonly string[],
  argv: readonly string[],
  width: number | null,
) {
  const isCompletion = argv[0] === '--get-yargs-completions';
  const others = new Set(Object.keys(commands).map((name) => name.replace(/ .*/, '')));
  for (const name of everyday) others.delete(name);
  return (
    yargs(joinRefresh(hideDashes(argv)))
      .scriptName('dossier')
      .usage('$0 <command>\n\nTurns a list of company identifiers into company and people records.')
      .command(await modulesOf(words, isCompletion))
      .middleware(({ job }) => rememberJob(onlyText(job)))
      // A hidden command: only the scripts that `completion` prints call it.
      .completion('get-yargs-completion-script', false, completeWords)
      .demandCommand(1, 'No command was given.')
      .strict()
      .parserConfiguration({ 'duplicate-arguments-array': true, 'parse-numbers': false })
      .version(packageVersion())
      .alias({ h: 'help', v: 'version' })
      .wrap(width)
      .epilogue(
        `More: ${[...others].join(', ')}\nAdd --help after any command. Documents: README.md and docs/ of the package.`,
      )
      // yargs runs the command in spite of the mistake if this function returns, so it throws.
      .fail((message, error) => {
        throw error ?? Object.assign(new Error(message), { name: 'YError' });
      })
  );
}

/** `--refresh older-than 7d` is typed as two words and read as one value. */
function joinRefresh(words: readonly string[]): string[] {
  const at = words.findIndex(
    (word, index) =>
      word === '--refresh=older-than' ||
      (word === 'older-than' && words[index - 1] === '--refresh'),
  );
  const age = words[at + 1];
  if (at === -1 || age === undefined || age.startsWith('-')) return [...words];
  return [...words.slice(0, at), `${words[at]} ${age}`, ...words.slice(at + 2)];
}

/** Prints an error and returns its exit code. The log of a run may be JSON, and holds nothing else then. */
function report(error: unknown, argv: readonly string[]): number {
  const text = wantsEvents(argv) ? failureEvents(error) : failureText(error, process.stderr);
  process.stderr.write(text);
  return exitCodeOf(error);
}

/** Prints the object of a run that ended before it began. */
async function printFailure(error: unknown): Promise<void> {
  const { failedRun } = await import('./run/run-record.ts');
  printRunJson(failedRun(error), () => {});
}

/** Node would print an uncaught error without redacting secrets. */
function reportUncaughtErrors(argv: readonly string[]): void {
  process.on('uncaughtException', (error) => {
    if (!sayLastWords(error)) report(error, argv);
    process.exit(exitCodeOf(error));
  });
}

/** A closed pipe is a success: in `dossier identify … | head`, head has read all that it wants. */
function exitQuietlyOnClosedPipe(argv: readonly string[]): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    const trouble = new DossierError('OUTPUT_TROUBLE', `standard output: ${error.message}`);
    // A run ends with its own words, so that they are the last ones of its log.
    if (!sayLastWords(trouble)) report(trouble, argv);
    process.exit(exitCodeOf(trouble));
  });
  // The command goes on without its messages when standard error is closed.
  process.stderr.on('error', () => {});
}

/** The one job of a command; undefined where it was given none, or several. */
function onlyText(given: unknown): string | undefined {
  const [only, ...others] = [given].flat();
  return typeof only === 'string' && others.length === 0 ? only : undefined;
}
