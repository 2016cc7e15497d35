/*
 * Documents show commands and what they print in blocks of this kind:
 *
 *     ```console
 *     $ dossier plan leads.yaml
 *     leads: 204 rows of leads.csv
 *     …
 *     ```
 *
 * A line that begins with `$ ` is a command; `\` at its end goes on in the next line. What follows is
 * what it prints, standard output and standard error as a terminal shows them. A command with nothing
 * below it has only to succeed. What need not be the same each time:
 *
 *     …       alone in a line: lines or none; inside a line: text
 *     2s      and other durations, moments and ports are compared as such, whatever their numbers
 *
 *     <!-- varies: calls made; calls saved -->    above a block: lines with these words may say
 *                                                 anything else besides, so that real ones can be shown
 */

export interface ShownCommand {
  readonly command: string;
  /** Words of lines whose other text may vary. */
  readonly varies: readonly string[];
  /** Undefined when the document shows no output. */
  readonly output: string | undefined;
  /** Line of the command in the document, counted from 1. */
  readonly line: number;
}

export function readConsoleBlocks(markdown: string): ShownCommand[] {
  const commands: { command: string; lines: string[]; line: number; varies: string[] }[] = [];
  let isConsole = false;
  let varies: string[] = [];
  for (const [index, text] of markdown.split('\n').entries()) {
    if (/^\s*```/.test(text)) {
      if (isConsole) varies = [];
      isConsole = /^\s*```console\b/.test(text);
      continue;
    }
    const words = /^<!-- varies: (?<words>.*) -->$/.exec(text)?.groups?.words;
    if (words !== undefined) varies = words.split(';').map((word) => word.trim());
    if (!isConsole) continue;
    const last = commands.at(-1);
    if (text.startsWith('$ ')) {
      commands.push({ command: text.slice(2), lines: [], line: index + 1, varies });
    } else if (last?.lines.length === 0 && last.command.endsWith('\\')) {
      last.command = `${last.command.slice(0, -1).trimEnd()} ${text.replace(/^> ?/, '').trim()}`;
    } else last?.lines.push(text);
  }
  return commands.map(({ command, lines, line, varies: words }) => {
    const output = trimmed(lines.join('\n'));
    return { command, output: output === '' ? undefined : output, line, varies: words };
  });
}

/** Patterns that vary from run to run, each with the text that it is compared as. */
const variable: readonly [RegExp, string][] = [
  [/^(?:\d+% )?(?:reading|calling|writing) {1,2}.*\n/gm, ''],
  // A run shows its page live when it takes longer than five seconds, as on a busy machine.
  [/^Live: .*\n/gm, ''],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<moment>'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d(?: UTC)?/g, '<moment>'],
  [/\b(?:\d+(?:\.\d+)?(?:ms|s|m|h|d) ?)+(?![\w-])/g, '<time>'],
  [/(127\.0\.0\.1|localhost|\[::1\]):\d+/g, '$1:<port>'],
];

/**
 * The output that a document shows for a command, with varying parts filled in from the real output.
 * The two are equal when the document is right; otherwise their difference is readable.
 */
export function asPrinted(
  shown: string,
  printed: string,
  varies: readonly string[] = [],
): { shown: string; printed: string } {
  const plain = { shown: normalised(shown, varies), printed: normalised(printed, varies) };
  const pattern = plain.shown
    .split(/^…$\n?|…/m)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*?');
  const isRight = new RegExp(`^${pattern}$`).test(plain.printed);
  return isRight ? { ...plain, shown: plain.printed } : plain;
}

function normalised(text: string, varies: readonly string[]): string {
  const settled = variable.reduce((all, [what, sign]) => all.replaceAll(what, sign), `${text}\n`);
  const lines = trimmed(settled).split('\n');
  return lines.map((line) => varies.find((words) => line.includes(words)) ?? line).join('\n');
}

/** Removes blank lines at the ends and blanks at the end of lines, which are invisible. */
function trimmed(text: string): string {
  return text
    .replaceAll(/[ \t]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd();
}
