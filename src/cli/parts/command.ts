import type { Argv, Options as YargsOptions } from 'yargs';
import { cleanerFor, openTerminal, type Terminal } from '../terminal/terminal.ts';
import { dashed, type Page, pageFor } from '../terminal/text.ts';
import type { Option, Values } from './options.ts';

type Options = Readonly<Record<string, Option<unknown>>>;

/** Name and description are in commands.ts. */
interface Command<Given extends Options, Facts> {
  readonly options: Given;
  readonly examples: Readonly<Record<string, string>>;
  readonly epilogue?: string;
  /** Help of `--json`, if that prints anything but one object. */
  readonly jsonHelp?: string;
  /** Returns undefined if the command has printed everything itself. */
  facts(args: Values<Given>, terminal: Terminal): Promise<Facts | undefined>;
  /** What `--json` prints; by default the result of `facts`. */
  json?(facts: NoInfer<Facts>): object;
  /** Only a command with `text` has `--json`. */
  text?(facts: NoInfer<Facts>, page: Page, args: Values<Given>): readonly string[];
  exitCode?(facts: NoInfer<Facts>): number;
}

export type AnyCommand = Command<Options, unknown>;

export function command<const Given extends Options, Facts>(shape: Command<Given, Facts>) {
  return shape as unknown as AnyCommand;
}

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
          args.positional(name, {
            ...optionOf(name, option),
            type: 'string',
            array: dots !== '',
            demandOption: opening === '<',
          });
        }
      }
      for (const [line, about] of Object.entries(examples)) args.example(line, about);
      return epilogue === undefined ? args : args.epilogue(epilogue);
    },
    handler: async (args: Values<Options>) => {
      const terminal = openTerminal();
      const facts = await shape.facts(args, terminal);
      if (shape.text && facts !== undefined) {
        process.exitCode = shape.exitCode?.(facts) ?? 0;
        const shown = args.json
          ? [JSON.stringify(shape.json?.(facts) ?? facts)]
          : shape.text(facts, pageFor(process.stdout), args);
        terminal.print(cleanerFor(process.stdout)(shown.map((line) => `${line}\n`).join('')));
      }
      terminal.end();
    },
  };
}

function optionOf(name: string, option: Option<unknown>) {
  const { describe, read, fallback, choices, alias, isList, isBare } = option;
  const common: YargsOptions = {
    describe,
    ...(fallback !== undefined && { default: fallback }),
    ...(alias !== undefined && { alias }),
  };
  if (!read) return { ...common, type: 'boolean' } as const;
  const coerce = (given: unknown) =>
    given === undefined || given === fallback ? given : read(shownDashes(given), dashed(name));
  if (isList) return { ...common, type: 'string', array: true, coerce } as const;
  if (isBare) return { ...common, type: 'string', coerce } as const;
  return { ...common, ...(choices && { choices }), requiresArg: true, coerce } as const;
}

/** yargs drops a bare `-` from positionals, so a text that no shell can pass replaces it. */
const hiddenDash = '\u0000-';

export function hideDashes(argv: readonly string[]): string[] {
  // Completion needs the words as typed.
  if (argv[0] === '--get-yargs-completions') return [...argv];
  return argv.map((word) => (word === '-' ? hiddenDash : word));
}

function shownDashes(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(shownDashes);
  return given === hiddenDash ? '-' : given;
}
