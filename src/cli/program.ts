import yargs, { type CommandModule } from 'yargs';
import { DossierError, exitCodeOf } from '../core/errors.ts';
import {
  forgetSecrets,
  guardAddress,
  keepSecret,
  withoutSecrets,
} from '../core/values/known-secrets.ts';
import { nearestWord } from '../core/values/nearest-word.ts';
import { printable } from '../core/values/printable.ts';
import { keyVariable } from '../job/read-address.ts';
import { packageVersion } from '../platform/package-path.ts';
import { heedSignalsAsFirstProcess } from '../platform/shutdown.ts';
import { commandGroups, commands, everyday } from './commands.ts';
import { type AnyCommand, hideDashes, parsed } from './parts/command.ts';
import {
  eventLine,
  failureEvents,
  failureText,
  guardTerminal,
  wantsEvents,
  wantsJson,
  writeError,
  writeOut,
} from './terminal/terminal.ts';
import { dashed, joinValues, rememberJob } from './terminal/text.ts';

export async function runProgram(argv: readonly string[]): Promise<number> {
  // Forget the last command line, because tests run several in one process.
  forgetSecrets();
  rememberJob(undefined);
  // Only on a terminal, because data written to a pipe or a file must not change.
  if (process.stdout.isTTY) guardTerminal(process.stdout);
  guardTerminal(process.stderr);
  if (wantsEvents(argv)) logWarnings();
  endOnBrokenStreams();
  // Node would print an uncaught error without redacting secrets.
  process.on('uncaughtException', (error) => process.exit(report(error, argv)));
  // Redacted in every command, because any crash could print the environment.
  keepSecret(process.env[keyVariable]?.trim() ?? '');
  for (const word of argv) guardAddress(word.replace(/^--[\w-]+=/, ''));
  heedSignalsAsFirstProcess();
  try {
    const program = await createProgram(withHelp(argv));
    await program.parseAsync();
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // yargs turns an error of an option's `read` into a YError with the same message.
    const isUsage = error instanceof Error && error.name === 'YError';
    const shown = isUsage ? new DossierError('USAGE', await plainly(error.message, argv)) : error;
    if (wantsJson(argv)) {
      const { failedRun } = await import('./run/end-record.ts');
      writeOut(`${printable(JSON.stringify(failedRun(shown)))}\n`);
    }
    return report(shown, argv);
  }
}

/** `dossier help run` means `dossier run --help`. */
function withHelp([first = 'help', ...others]: readonly string[]) {
  return first === 'help' ? [...others, '--help'] : [first, ...others];
}

const missingText = 'an argument is missing';

/** yargs errors have no code, only these texts. */
const plainTexts: readonly (readonly [of: RegExp, text: string])[] = [
  [/^Did you mean (.*)\?$/, 'there is no such command; did you mean $1?'],
  [/^Unknown arguments?: ([^,]*).*$/, 'unknown option or word: $1'],
  [/^Not enough arguments following: (.*)$/, '--$1 needs a value'],
  [/^Not enough non-option arguments.*$/, missingText],
];

async function plainly(message: string, argv: readonly string[]) {
  const text = plainTexts.reduce((read, [of, plain]) => read.replace(of, plain), message);
  const [, unknown = ''] = /^unknown option or word: (.*)$/.exec(text) ?? [];
  const [first = '', second = ''] = argv;
  const actions = entries.flatMap(([name]) => name.split(`${first} `)[1] ?? []);
  const isMissing = text === missingText;
  if (actions.length > 0 && !actions.includes(second) && (isMissing || unknown === second)) {
    const meant = nearestWord(second, actions);
    return meant === undefined
      ? `${first} needs one of ${actions.join(', ')}`
      : `there is no ${first} ${second}; did you mean ${meant}?`;
  }
  const named = commandsOf(argv);
  const loaded = await Promise.all(named.map(load));
  if (isMissing) {
    const [, name = ''] = /<(\w+)/.exec(named[0]?.[1][0] ?? '') ?? [];
    const { describe } = loaded[0]?.options[name] ?? {};
    return describe === undefined ? text : `${text}: ${describe}`;
  }
  if (!argv.some((word) => word.startsWith(`--${unknown}`))) return text;
  if (unknown === 'dry-run' && (first === 'run' || first === 'fix'))
    return 'there is no --dry-run; `dossier plan` shows what a run would do, and makes no call';
  const names = loaded.flatMap(({ options }) => Object.keys(options).map(dashed));
  const meant = nearestWord(unknown, names);
  return meant === undefined ? text : `there is no --${unknown}; did you mean --${meant}?`;
}

type Entry = readonly [name: string, command: (typeof commands)[keyof typeof commands]];
const entries: readonly Entry[] = Object.entries(commands);

function commandsOf([first, second]: readonly string[]) {
  const named = entries.filter(([name]) => name === first || name === `${first} ${second}`);
  return named.length > 0 ? named : entries.filter(([name]) => name.startsWith(`${first} `));
}

async function load([name, [, , open]]: Entry) {
  const file: Readonly<Record<string, unknown>> = await open();
  return file[name.replace(/.* /, '')] as AnyCommand;
}

function usageOf([name, [positionals]]: Entry) {
  return `${name} ${positionals}`.trimEnd();
}

/** Loads only the named commands, so help stays fast. */
async function modulesOf(words: readonly string[], isCompletion: boolean) {
  const named = commandsOf(words);
  const modules = entries.map(async (entry) => {
    const [name, [, describe]] = entry;
    const group = groupOf(name);
    const isShown = isCompletion || group !== undefined || everyday.includes(name);
    // `$0` is what a group does without an action.
    const command = usageOf(entry).slice(group === undefined ? 0 : group.length + 1) || '$0';
    const options = named.includes(entry) && parsed(command, await load(entry));
    const module = { command, describe: isShown && describe, handler() {}, ...options };
    return { group, module: module as CommandModule };
  });
  const built = await Promise.all(modules);
  const modulesIn = (wanted?: string) =>
    built.filter(({ group }) => group === wanted).map(({ module }) => module);
  const groups = Object.entries(commandGroups).map(
    ([group, describe]): CommandModule => ({
      command: Object.hasOwn(commands, group) ? group : `${group} <action>`,
      describe: isCompletion && describe,
      builder: (args) => args.command(modulesIn(group)),
      // yargs calls this for an unknown action.
      handler: ({ action }) => refuse(`Unknown argument: ${action}`),
    }),
  );
  return [...modulesIn(), ...groups];
}

/** `ledger info → ledger` */
function groupOf(name: string) {
  return Object.keys(commandGroups).find((group) => `${name} `.startsWith(`${group} `));
}

function refuse(message: string): never {
  throw Object.assign(new Error(message), { name: 'YError' });
}

export async function createProgram(
  argv: readonly string[],
  width = Math.min(100, process.stderr.columns ?? 80),
) {
  const isCompletion = argv[0] === '--get-yargs-completions';
  const words = isCompletion ? argv.slice(2) : argv;
  const others = Object.keys(commands).filter((name) => !everyday.includes(name));
  const otherNames = new Set(others.map((name) => name.replace(/ .*/, '')));
  return (
    yargs(hideDashes(joinValues(argv)))
      .scriptName('dossier')
      // `plainly` knows the English messages of yargs.
      .locale('en')
      .usage('$0 <command>\n\nTurns a list of company identifiers into company and people records.')
      .command(await modulesOf(words, isCompletion))
      .middleware(({ job, ...flags }) => rememberJob(job, flags))
      .completion('completion', false, offerWords)
      .demandCommand(1, 'No command was given.')
      .strict()
      .recommendCommands()
      .parserConfiguration({ 'duplicate-arguments-array': true, 'parse-numbers': false })
      .version(packageVersion())
      .alias({ h: 'help', v: 'version' })
      .wrap(width)
      .epilogue(
        `More: ${[...otherNames].join(', ')}, completion (bash, zsh)\nAdd --help to any command. Docs: README.md and docs/.`,
      )
      // yargs would run the command if this returned.
      .fail((message, error) => {
        throw error ?? refuse(message);
      })
  );
}

function report(error: unknown, argv: readonly string[]) {
  writeError(wantsEvents(argv) ? failureEvents(error, argv) : failureText(error, process.stderr));
  return exitCodeOf(error);
}

function logWarnings() {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) =>
    writeError(eventLine('warn', 'node.warning', { name, message: withoutSecrets(message) })),
  );
}

function endOnBrokenStreams() {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // In `dossier identify … | head` a closed pipe is a success.
    if (error.code === 'EPIPE') process.exit();
    // Throw instead of exiting, so a run can log its end first.
    throw new DossierError('OUTPUT_TROUBLE', `standard output: ${error.message}`);
  });
  process.stderr.on('error', () => {});
}

/** Offers flags only after a dash: without offers, the shell completes file names. */
function offerWords(
  typed: string,
  _argv: unknown,
  offer: (done: (error: Error | null, words?: readonly string[]) => void) => void,
  done: (words: string[]) => void,
) {
  offer((_error, words = []) =>
    done(words.filter((word) => typed.startsWith('-') || !word.startsWith('-'))),
  );
}
