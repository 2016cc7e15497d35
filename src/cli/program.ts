import yargs, { type CommandModule } from 'yargs';
import { DossierError, exitCodeOf } from '../errors.ts';
import { keyVariable } from '../job/read-key.ts';
import { forgetSecrets, guardAddress, keepSecret } from '../runtime/log/known-secrets.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { heedSignalsAsFirstProcess } from '../runtime/shutdown.ts';
import { completeWords } from './completion/complete-words.ts';
import { joinRefresh } from './options/job-options.ts';
import { hideDashes } from './options/option-values.ts';
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

/** All commands, in the order of the help. A command line loads the one that it names. */
const loaders = {
  ui: async () => (await import('./ui.ts')).uiCommand,
  run: async () => (await import('./run.ts')).runCommand,
  plan: async () => (await import('./plan.ts')).planCommand,
  mend: async () => (await import('./mend/mend.ts')).mendCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  spend: async () => (await import('./spend.ts')).spendCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  changes: async () => (await import('./changes.ts')).changesCommand,
  lookup: async () => (await import('./lookup.ts')).lookupCommand,
  identify: async () => (await import('./identify.ts')).identifyCommand,
  init: async () => (await import('./init.ts')).initCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  ledger: async () => (await import('./ledger/ledger-command.ts')).ledgerCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  load: async () => (await import('./serve/load.ts')).loadCommand,
  schema: async () => (await import('./schema.ts')).schemaCommand,
  completion: async () => (await import('./completion/completion-command.ts')).completionCommand,
};

/** Each knows its own arguments, which the list need not. */
async function loadCommands(name = ''): Promise<CommandModule[]> {
  const wanted = Object.entries(loaders).filter(([known]) => known === name);
  const loads = wanted.length > 0 ? wanted : Object.entries(loaders);
  return (await Promise.all(loads.map(([, load]) => load()))) as CommandModule[];
}

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
async function explained(error: Error, argv: readonly string[]): Promise<DossierError> {
  const { explainUsage } = await import('./options/explain-usage.ts');
  const { ledgerCommands } = await import('./ledger/ledger-command.ts');
  const message = await explainUsage(error.message, argv, {
    commands: await loadCommands(),
    helpOf,
    groups: { ledger: ledgerCommands },
  });
  return new DossierError('USAGE', message, { cause: error });
}

/** yargs wraps an error that an option's reader throws in a YError with the same message. */
function isUsage(error: unknown): error is Error {
  return error instanceof Error && error.name === 'YError';
}

/** What `dossier … --help` prints; docs/cli.md is made from it. */
export async function helpOf(argv: readonly string[]): Promise<string> {
  const commands = await loadCommands(argv[0]);
  return new Promise((resolve) => {
    createProgram(commands, [], 80).parse([...argv, '--help'], {}, (_error, _argv, output) =>
      resolve(output),
    );
  });
}

async function parse(argv: readonly string[]): Promise<void> {
  const width = asksForHelp(argv) ? Math.min(100, process.stderr.columns ?? 80) : null;
  await createProgram(await loadCommands(argv[0]), argv, width).parseAsync();
}

/** yargs makes the help of every command that runs. It takes 3 times as long where lines are wrapped. */
function asksForHelp(argv: readonly string[]): boolean {
  return argv.some((word) => /^(?:--help|-\w*h\w*|help)$/.test(word));
}

function createProgram(commands: CommandModule[], argv: readonly string[], width: number | null) {
  return (
    yargs(joinRefresh(hideDashes(argv)))
      .scriptName('dossier')
      .usage('$0 <command>\n\nTurns a list of company identifiers into company and people records.')
      .command(commands)
      .middleware(({ job }) => rememberJob(onlyText(job)))
      // A hidden command: only the scripts that `completion` prints call it.
      .completion('get-yargs-completion-script', false, completeWords)
      .demandCommand(1, 'No command was given.')
      .strict()
      .parserConfiguration({ 'duplicate-arguments-array': true, 'parse-numbers': false })
      .version(packageVersion())
      .alias({ h: 'help', v: 'version' })
      .wrap(width)
      .epilogue('Documents: README.md and docs/ of the package.')
      // yargs runs the command in spite of the mistake if this function returns, so it throws.
      .fail((message, error) => {
        throw error ?? Object.assign(new Error(message), { name: 'YError' });
      })
  );
}

/** Prints an error and returns its exit code. The log of a run may be JSON, and holds nothing else then. */
function report(error: unknown, argv: readonly string[]): number {
  const text = wantsEvents(argv) ? failureEvents(error) : failureText(error, process.stderr);
  process.stderr.write(text);
  return exitCodeOf(error);
}

/** Prints the object of a run that ended before it began. */
async function printFailure(error: unknown): Promise<void> {
  const { failedRunJson } = await import('./run/end/failed-run-json.ts');
  printRunJson(failedRunJson(error), () => {});
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
