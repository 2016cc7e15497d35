import yargs from 'yargs';
import { DossierError, errorCatalog } from '../errors.ts';
import { keyVariable } from '../job/read-key.ts';
import { keepSecret, withoutSecrets } from '../runtime/known-secrets.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { heedSignalsAsFirstProcess } from '../runtime/shutdown.ts';
import { checkCommand } from './check.ts';
import { completeWords } from './completion/complete-words.ts';
import { completionCommand } from './completion.ts';
import { exportCommand } from './export.ts';
import { identifyCommand } from './identify.ts';
import { initCommand } from './init.ts';
import { loadCommand } from './load.ts';
import { lookupCommand } from './lookup.ts';
import { hideDashes } from './options/options.ts';
import { planCommand } from './plan.ts';
import { runCommand } from './run.ts';
import { schemaCommand } from './schema.ts';
import { serveCommand } from './serve.ts';
import { statusCommand } from './status.ts';
import { errorText } from './terminal/error-text.ts';
import { watchCommand } from './watch.ts';

/** Runs one command line and says with which code the process should end. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  leaveQuietlyWhenPipeCloses();
  reportWhatNobodyCatches();
  // Not every command reads the key, but any may crash with it in hand.
  keepSecret(process.env[keyVariable]?.trim() ?? '');
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
    return report(isUsage(error) ? await inOurWords(error, argv) : error);
  }
}

/** yargs says what it missed; people want to know what to type instead. */
async function inOurWords(error: Error, argv: readonly string[]): Promise<DossierError> {
  const { explainUsage } = await import('./options/explain-usage.ts');
  const command = argv.find((word) => !word.startsWith('-'));
  const helps = { program: await helpOf([]), command: await helpOf(command ? [command] : []) };
  return new DossierError('USAGE', explainUsage(error.message, argv, helps), { cause: error });
}

/** What an option's reader throws arrives as an error of yargs with the same message. */
function isUsage(error: unknown): error is Error {
  return error instanceof Error && error.name === 'YError';
}

/** What `dossier … --help` prints, for the documents. */
export function helpOf(argv: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    createProgram([], 80).parse([...argv, '--help'], {}, (_error, _argv, output) =>
      resolve(output),
    );
  });
}

async function parse(argv: readonly string[]): Promise<void> {
  await createProgram(argv, Math.min(100, process.stderr.columns ?? 80)).parseAsync();
}

function createProgram(argv: readonly string[], width: number) {
  return (
    yargs(hideDashes(argv))
      .scriptName('dossier')
      .usage('$0 <command>\n\nTurns a list of company identifiers into company and people records.')
      .command(runCommand)
      .command(planCommand)
      .command(statusCommand)
      .command(watchCommand)
      .command(exportCommand)
      .command(lookupCommand)
      .command(identifyCommand)
      .command(initCommand)
      .command(checkCommand)
      .command(serveCommand)
      .command(loadCommand)
      .command(schemaCommand)
      .command(completionCommand)
      // Only answers the scripts that `completion` prints; nobody types its name.
      .completion('get-yargs-completion-script', false, completeWords)
      .demandCommand(1, 'No command was given.')
      .strict()
      .parserConfiguration({ 'duplicate-arguments-array': true, 'parse-numbers': false })
      .version(packageVersion())
      .alias({ h: 'help', v: 'version' })
      .wrap(width)
      .epilogue('Documents: README.md and docs/ of the package.')
      // A handler that returns lets the command run all the same, so this one throws.
      .fail((message, error) => {
        throw error ?? Object.assign(new Error(message), { name: 'YError' });
      })
  );
}

/** The only place where an error becomes text and a number. */
function report(error: unknown): number {
  if (!(error instanceof DossierError)) {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`This is a bug in Dossier; please report it.\n${withoutSecrets(trace)}\n`);
    return 1;
  }
  process.stderr.write(withoutSecrets(errorText(error, process.stderr)));
  return errorCatalog[error.code].exitCode;
}

/** Node would print it raw, with whatever it quotes. */
function reportWhatNobodyCatches(): void {
  process.on('uncaughtException', (error) => process.exit(report(error)));
}

/** `dossier identify … | head` is a success: the reader has what it wanted. */
function leaveQuietlyWhenPipeCloses(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.exit(report(new DossierError('OUTPUT_TROUBLE', `standard output: ${error.message}`)));
  });
  // Nobody listens to the talk any more; the work goes on.
  process.stderr.on('error', () => {});
}
