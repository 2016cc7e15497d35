import { styleText } from 'node:util';
import yargs from 'yargs';
import { DossierError, errorCatalog } from '../errors.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { checkCommand } from './check.ts';
import { exportCommand } from './export.ts';
import { identifyCommand } from './identify.ts';
import { initCommand } from './init.ts';
import { loadCommand } from './load.ts';
import { lookupCommand } from './lookup.ts';
import { hideDashes } from './options.ts';
import { planCommand } from './plan.ts';
import { runCommand } from './run.ts';
import { schemaCommand } from './schema.ts';
import { serveCommand } from './serve.ts';
import { statusCommand } from './status.ts';
import { watchCommand } from './watch.ts';

/** Runs one command line and says with which code the process should end. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  leaveQuietlyWhenPipeCloses();
  try {
    await parse(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return report(error);
  }
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
      .demandCommand(1, 'No command was given.')
      .strict()
      .recommendCommands()
      .parserConfiguration({ 'duplicate-arguments-array': true, 'parse-numbers': false })
      .version(packageVersion())
      .alias({ h: 'help', v: 'version' })
      .wrap(width)
      .epilogue('Documents: README.md and docs/ of the package.')
      // A handler that returns lets the command run all the same, so this one throws.
      .fail((message, error) => {
        // What an option's reader throws arrives as an error of yargs with the same message.
        const isUsage = !error || error.name === 'YError';
        throw isUsage ? new DossierError('USAGE', message ?? error.message) : error;
      })
  );
}

/** The only place where an error becomes text and a number. */
function report(error: unknown): number {
  if (!(error instanceof DossierError)) {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`This is a bug in Dossier; please report it.\n${trace}\n`);
    return 1;
  }
  const { exitCode, remedy } = errorCatalog[error.code];
  const label = styleText('red', `dossier: ${error.code}`, { stream: process.stderr });
  process.stderr.write(`${label}: ${error.message}\n${remedy}\n`);
  return exitCode;
}

/** `dossier identify … | head` is a success: the reader has what it wanted. */
function leaveQuietlyWhenPipeCloses(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.exit(report(new DossierError('OUTPUT_TROUBLE', `standard output: ${error.message}`)));
  });
  // Nobody listens to the talk any more; the work goes on.
  process.stderr.on('error', () => {});
}
