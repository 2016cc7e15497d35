import { once } from 'node:events';
import { styleText } from 'node:util';
import type { Argv, Options as YargsOptions } from 'yargs';
import type { Option, Values } from './options.ts';
import { failureText } from './terminal/errors.ts';
import { cleanerFor } from './terminal/guard-terminal.ts';
import { type Page, pageFor } from './terminal/page.ts';
import { openProgress, type Progress } from './terminal/progress.ts';

type Options = Readonly<Record<string, Option<unknown>>>;

/** Where a command talks while it works. Nothing else writes to a stream. */
export interface Terminal {
  /** Tells people something, on standard error. */
  note(text: string): void;
  /** Tells people of something that they should look at. */
  warn(text: string): void;
  /** Tells people what to do next, once the result is printed. */
  next(text: string): void;
  /** Prints data as it is, on standard output. */
  print(text: string): void;
  /** Prints lines of data as they come, at the pace of their reader. */
  lines(lines: AsyncIterable<string>): Promise<undefined>;
  /** A line that shows how far the work is. */
  readonly progress: Progress;
  /** Whether people read standard output, and not a program. */
  readonly isForPeople: boolean;
  /** Ends the command with this error once its result is printed. */
  fail(error: Error | undefined): void;
}

/** A command: what it takes, what it finds out, and how people are told. Name and help stand in commands.ts. */
interface Command<Given extends Options, Facts> {
  readonly options: Given;
  /** Command lines, each with what it does. */
  readonly examples: Readonly<Record<string, string>>;
  readonly epilogue?: string;
  /** Help of `--json`, where it does not print one object. */
  readonly jsonHelp?: string;
  /** What `--json` prints; nothing where the command has printed all there is. */
  facts(args: Values<Given>, terminal: Terminal): Promise<Facts | undefined>;
  /** What `--json` prints, where people are told more than that. */
  json?(facts: NoInfer<Facts>): object;
  /** The same for people, in lines. Only a command with this has `--json`. */
  text?(facts: NoInfer<Facts>, page: Page, args: Values<Given>): readonly string[];
  exitCode?(facts: NoInfer<Facts>): number;
}

export type AnyCommand = Command<Options, unknown>;

/** Infers what a command gets and finds out; beyond its own file nobody needs to know. */
export function command<const Given extends Options, Facts>(shape: Command<Given, Facts>) {
  return shape as unknown as AnyCommand;
}

/** The parser's form of a command; `usage` names its arguments. */
export function parsed(usage: string, shape: AnyCommand) {
  const { options, examples, epilogue, jsonHelp } = shape;
  const all = shape.text
    ? { json: { describe: jsonHelp ?? 'Print one JSON object', fallback: false }, ...options }
    : options;
  return {
    builder: (args: Argv) => {
      for (const [name, option] of Object.entries(all)) {
        const [, opening, dots] = new RegExp(`([[<])${name}([.]*)`).exec(usage) ?? [];
        if (opening === undefined) args.option(dashed(name), optionOf(name, option));
        else {
          const type = {
            type: 'string',
            array: dots !== '',
            demandOption: opening === '<',
          } as const;
          args.positional(name, { ...optionOf(name, option), ...type });
        }
      }
      for (const [line, about] of Object.entries(examples)) args.example(line, about);
      return epilogue === undefined ? args : args.epilogue(epilogue);
    },
    handler: async (args: Values<Options>) => {
      const failures: Error[] = [];
      const next: string[] = [];
      using terminal = openTerminal(failures, next);
      const facts = await shape.facts(args, terminal);
      if (shape.text && facts !== undefined) {
        process.exitCode = shape.exitCode?.(facts) ?? 0;
        const shown = args.json
          ? [JSON.stringify(shape.json?.(facts) ?? facts)]
          : shape.text(facts, pageFor(process.stdout), args);
        terminal.print(cleanerFor(process.stdout)(shown.map((line) => `${line}\n`).join('')));
      }
      for (const text of next) terminal.note(text);
      const last = failures.pop();
      for (const error of failures) terminal.note(failureText(error, process.stderr).trimEnd());
      if (last) throw last;
    },
  };
}

/** `keepRuns → keep-runs` */
export function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function optionOf(name: string, option: Option<unknown>) {
  const { describe, read, fallback, choices, alias, isList } = option;
  const common: YargsOptions = {
    describe,
    ...(fallback !== undefined && { default: fallback }),
    ...(alias !== undefined && { alias }),
  };
  if (!read) return { ...common, type: 'boolean' } as const;
  const coerce = (given: unknown) =>
    given === undefined || given === fallback ? given : read(shownDashes(given), dashed(name));
  if (isList) return { ...common, type: 'string', array: true, coerce } as const;
  return { ...common, ...(choices && { choices }), requiresArg: true, coerce } as const;
}

function openTerminal(failures: Error[], next: string[]): Terminal & Disposable {
  const { stdout, stderr } = process;
  let progress: Progress | undefined;
  // The progress line is cleared first; the next progress draws it again below.
  const clear = () => progress?.[Symbol.dispose]();
  const note = (text: string) => {
    clear();
    stderr.write(`${text}\n`);
  };
  return {
    note,
    warn: (text) => note(styleText('yellow', text, { stream: stderr })),
    next: (text) => void next.push(text),
    print(text) {
      clear();
      stdout.write(text);
    },
    lines: (lines) => writeLines(stdout, lines),
    get progress() {
      progress ??= openProgress();
      return progress;
    },
    isForPeople: stdout.isTTY === true,
    fail(error) {
      if (error) failures.push(error);
    },
    [Symbol.dispose]: clear,
  };
}

/** Writing lines in batches is many times faster than one by one; larger batches gain nothing. */
const batchLength = 64 * 1024;

/** Writes lines and waits whenever the stream is full, so that a slow pipe does not fill the memory. */
export async function writeLines(stream: NodeJS.WritableStream, lines: AsyncIterable<string>) {
  let batch = '';
  for await (const line of lines) {
    batch += `${line}\n`;
    if (batch.length < batchLength) continue;
    if (!stream.write(batch)) await once(stream, 'drain');
    batch = '';
  }
  if (batch !== '') stream.write(batch);
  return undefined;
}

/*
 * yargs silently drops a bare `-` from positionals. So `-` is replaced before parsing by a text that no shell can pass,
 * and turned back here.
 */
const hiddenDash = '\u0000-';

export function hideDashes(argv: readonly string[]): string[] {
  // Completion compares words as they are typed, so it needs the dash itself.
  if (argv[0] === '--get-yargs-completions') return [...argv];
  return argv.map((word) => (word === '-' ? hiddenDash : word));
}

function shownDashes(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(shownDashes);
  return given === hiddenDash ? '-' : given;
}
