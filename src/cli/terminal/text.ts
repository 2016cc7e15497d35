import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { styleText } from 'node:util';
import type { Amount } from '../../core/rules/budgets.ts';
import {
  counted,
  formatBytes,
  formatMinute,
  formatNumber,
  shorten,
} from '../../core/values/format.ts';
import { withoutSecrets } from '../../core/values/known-secrets.ts';
import { formatMoney, microsPerUnit, moneyOrFree } from '../../core/values/money.ts';
import { printable } from '../../core/values/printable.ts';
import type { PlanJson } from '../../facts/plan.ts';
import { isJobPath, jobName, jobOfSheet } from '../../job/from-list/job-name.ts';
import type { ResolvedService } from '../../job/resolved-job.ts';
import { fromHere, shellWord } from '../../platform/files/local-path.ts';
import type { SpentInPeriods } from '../../run/estimate-run.ts';

type Style = Parameters<typeof styleText>[0];

/** A string with a leading space is a command to copy, so it is not wrapped. */
type Line =
  | string
  | false
  | null
  | undefined
  | readonly [label: string, value: unknown, color?: Style | undefined];

export type Page = ReturnType<typeof pageFor>;

const gap = '  ';

export function pageFor(stream: NodeJS.WriteStream) {
  const width = widthOf(stream);
  const style = (format: Style, text: string) => styleText(format, text, { stream });
  const bold = (text: string) => style('bold', text);
  const field = (label: string, value: string, labelWidth = 16, format?: Style) =>
    wrapped(value, width - labelWidth).map(
      (line, index) =>
        (index === 0 ? label : '').padEnd(labelWidth) + (format ? style(format, line) : line),
    );
  const wrap = (text: string, indent = '', format?: Style) =>
    field(indent, text, indent.length, format);

  /** If the columns are too wide, each field gets a line. */
  const table = (
    items: readonly object[],
    indent = '',
    paint = (line: string, _index: number) => line,
  ): string[] => {
    const columns = items.map(Object.entries) as [name: string, value: unknown][][];
    const filled = (columns[0] ?? []).flatMap(([name], at) =>
      columns.some((cells) => show(cells[at]?.[1]) !== '') ? [{ name, at }] : [],
    );
    const titles = filled.map(({ name }) => titleOf(name));
    const rows = columns.map((cells) => filled.map(({ name, at }) => show(cells[at]?.[1], name)));
    const widths = titles.map((title, at) =>
      Math.max(...[title, ...rows.map((row) => row[at] ?? '')].map(lengthOf)),
    );
    const isNumber = filled.map(({ at }) => typeof columns[0]?.[at]?.[1] === 'number');
    const lineOf = (cells: readonly string[]) =>
      (
        indent + cells.map((cell, at) => pad(cell, widths[at] ?? 0, isNumber[at])).join(gap)
      ).trimEnd();
    const [title = '', ...lines] = [titles, ...rows].map(lineOf);
    if (
      indent.length + widths.reduce((sum, one) => sum + one + gap.length, 0) <=
      width + gap.length
    ) {
      return items.length === 0 ? [] : [bold(title), ...lines.map(paint)];
    }
    const labelWidth = Math.max(...titles.map(lengthOf)) + gap.length;
    return rows.flatMap((row, index) => [
      ...(index === 0 ? [] : ['']),
      ...row.flatMap((cell, at) => (cell === '' ? [] : field(titles[at] ?? '', cell, labelWidth))),
    ]);
  };

  const facts = (object: object, within = ''): string[] => {
    const indent = within === '' ? '' : gap;
    return Object.entries(object).flatMap(([name, value]): string[] => {
      if (value == null || value.length === 0) return [];
      if (typeof value !== 'object' || typeof value[0] === 'string') {
        return field(`${indent}${titleOf(name)}`, show(value, `${within} ${name}`), 18);
      }
      const lines = Array.isArray(value) ? table(value, gap) : facts(value, name);
      return ['', bold(titleOf(name)), ...lines];
    });
  };

  return {
    width,
    style,
    bold,
    wrap,
    field,
    table,
    facts,
    fields: (lines: readonly Line[], labelWidth?: number, indent = '') =>
      lines.flatMap((line) => {
        if (typeof line === 'string') return line.startsWith(' ') ? line : wrap(line, indent);
        const [label, value, color] = line || [];
        if (label === undefined || value == null || value === false) return [];
        return field(indent + label, show(value), labelWidth, color);
      }),
  };
}

export const factsText = (facts: object, page: Page) => page.facts(facts);

function lengthOf(text: string) {
  return [...text].length;
}

function pad(cell: string, width: number, isNumber = false) {
  const blanks = ' '.repeat(width - lengthOf(cell));
  return isNumber ? blanks + cell : cell + blanks;
}

function titleOf(name: string) {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function show(value: unknown, name = '') {
  if (typeof value === 'number') {
    return /bytes/i.test(name) ? formatBytes(value) : formatNumber(value);
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return formatMinute(text);
  return isAbsolute(text) ? fromHere(text) : text;
}

const defaultWidth = 80;
const narrowest = 39;
const widest = 120;

function widthOf(stream: NodeJS.WriteStream) {
  return Math.min(widest, Math.max(narrowest, (stream.columns || defaultWidth) - 1));
}

/** Replaces control characters, which could control the terminal. */
export function shortened(text: string, width: number): string {
  const printable = text.slice(0, 4 * widest).replace(/[\p{C}\s]+/gu, ' ');
  return shorten(printable.trim(), Math.max(2, width));
}

/** Add colours afterwards, because their codes would count as characters here. */
export function wrapped(text: string, width: number): string[] {
  const lines = printable(text).matchAll(new RegExp(`(.{1,${width}})(?: |$)|.{${width}}`, 'gsu'));
  const [first = '', ...others] = [...lines].map(([piece, line = piece]) => line);
  return [first, ...others];
}

/** Does not wrap commands to copy (they start with a space) or coloured lines (already wrapped). */
export function fitted(text: string, stream: NodeJS.WriteStream): string[] {
  const isKept = (line: string) => !stream.isTTY || line.startsWith(' ') || line.includes('\u001b');
  return text.split('\n').flatMap((line) => (isKept(line) ? line : wrapped(line, widthOf(stream))));
}

/** The parts of a price add up to more than a budget leaves. */
export function cappedText(
  { calls }: Pick<PlanJson, 'calls'>,
  services: readonly Pick<ResolvedService, 'price'>[],
): string {
  const { most, companies, fallbacks, people, repeats } = calls;
  const needed = companies + fallbacks + people + repeats;
  if (most >= needed) return '';
  const need = `the list may need ${formatNumber(needed)}`;
  if (services.some(({ price }) => price?.charged === 'hits'))
    return `, if all are found: no budget counts free misses, and ${need}`;
  const open = companies - most;
  const rest = open > 0 ? `; ${counted(open, 'company', 'companies')} will stay open` : '';
  return `, all that the budget pays for; ${need}${rest}`;
}

/** Each service may have to search all people, but only one does. */
export function sharedPages({ calls, services }: Pick<PlanJson, 'calls' | 'services'>): string {
  return services && calls.people > 0
    ? 'Each is counted with all pages of people; only the one that finds the company searches them.'
    : '';
}

/** Stands for the job in messages of code that does not know the command line. */
const placeholder = '<job>';

type Flags = Readonly<Record<string, unknown>>;

const flagsOfExport = [
  'suppress',
  'format',
  'columns',
  'order',
  'outputDelimiter',
  'bom',
  'excelSafe',
  'output',
  'ledger',
];
const flagsOfRun = [
  'input',
  'sheet',
  'delimiter',
  'encoding',
  'headerRow',
  'column',
  'as',
  'url',
  'keyFile',
  'share',
  'rate',
  'concurrency',
  ...flagsOfExport,
];
/** The flags with which another command of the same job does the same. */
const repeated: Readonly<Record<string, readonly string[]>> = {
  run: flagsOfRun,
  plan: flagsOfRun,
  check: flagsOfRun,
  fix: flagsOfRun,
  export: flagsOfExport,
};
const paths = ['input', 'keyFile', 'suppress', 'output', 'ledger'];

/** A command to copy, with the user's own flags. */
export function commandLine(name: string, words: readonly string[], flags: Flags): string {
  const flagWords = (repeated[name] ?? ['ledger']).flatMap((flag) => {
    const values = [flags[flag] ?? []].flat();
    return values.flatMap((value) => {
      if (typeof value !== 'boolean') return [`--${dashed(flag)}`, `${value}`];
      return value ? `--${dashed(flag)}` : `--no-${dashed(flag)}`;
    });
  });
  // The address of --share may contain a password.
  return withoutSecrets(['dossier', name, ...words, ...flagWords].map(shellWord).join(' '));
}

/** A command without --sheet knows the list of a sheet by the name of its job. */
export function jobFor(command: string, job: string, { sheet }: Flags): string {
  const takesSheet = repeated[command]?.includes('sheet') === true;
  if (takesSheet || typeof sheet !== 'string' || isJobPath(job)) return job;
  return jobOfSheet(jobName(job), sheet);
}

export function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

let given: { readonly job: string; readonly flags: Flags } | undefined;

export function rememberJob(job: unknown, flags: Flags = {}): void {
  given = typeof job === 'string' && job !== '-' ? { job, flags } : undefined;
}

export function nameJob(text: string): string {
  return given === undefined ? text : withJob(text, given.job, given.flags);
}

/** For readers in a different folder. */
export function nameJobFromAnywhere(text: string): string {
  if (given === undefined) return text;
  const { job, flags } = given;
  const absolute = (value: unknown) =>
    String(value).includes('://') ? value : resolve(`${value}`);
  const found = Object.entries(flags).map(([name, value]) => {
    const isPath = paths.includes(name) && value !== undefined;
    return [name, isPath ? [value].flat().map(absolute) : value];
  });
  return withJob(text, fromAnywhere(job), Object.fromEntries(found));
}

function withJob(text: string, job: string, flags: Flags) {
  const named = text.replace(
    /`dossier (\w+)([^`]*) <job>([^`]*)`/g,
    (_, name: string, before: string, after: string) => {
      const word = shellWord(jobFor(name, job, flags));
      const others = Object.entries(flags).filter(([flag]) => !after.includes(`--${dashed(flag)}`));
      const own = commandLine(name, [], Object.fromEntries(others)).slice(`dossier ${name}`.length);
      return `\`dossier ${name}${before} ${word}${after}${own}\``;
    },
  );
  return named.replaceAll(placeholder, shellWord(job));
}

/** Joins values that yargs would take apart or look for in the next word. */
export function joinValues(argv: readonly string[]): string[] {
  const line = argv.join('\0').replace(/(--refresh[=\0]older-than)\0(?!-)/, '$1 ');
  if (!/^(?:run|fix)\0/.test(line)) return line.split('\0');
  return line.replace(/(\0--accept)(?:\0(\w+)(?![^\0])|(?![^\0]))/g, '$1=$2').split('\0');
}

/** The typed command as a run that also accepts this. Its paths are as typed, the job's too. */
export function typedCommand(accepted: string | null): string {
  const [name = '', ...words] = joinValues(process.argv.slice(2));
  const isLook = ['plan', 'check'].includes(name);
  const left = isLook ? /^--(?:json|notify)/ : /^--(?:dry-run|new-ledger)/;
  const isReplaced = (word: string) =>
    word.startsWith('--accept=') && word.endsWith('=clock') === (accepted === 'clock');
  const typed = words.filter((word) => !left.test(word) && !isReplaced(word)).map(shellWord);
  const flags = accepted === null ? [] : ['--accept', accepted];
  // The address of --share may contain a password.
  return withoutSecrets(['dossier', isLook ? 'run' : name, ...typed, ...flags].join(' '));
}

/** `accept` is the hash of a held list, or `clock`. */
export function heldRemedy(accept: string): string {
  const [what, action] =
    accept === 'clock' ? ['clock of this machine', 'correct'] : ['list', 'replace'];
  return `No published result was changed. If the ${what} is right:\n  ${typedCommand(accept)}\nIf not, ${action} it and run the job again.`;
}

/** Makes a path absolute; a job name stays as it is. */
export function fromAnywhere(job: string): string {
  return existsSync(job) ? resolve(job) : job;
}

export function sampleDataText({ isSample }: { readonly isSample: boolean }): string[] {
  if (!isSample) return [];
  return ['SAMPLE DATA: made-up companies. To use your service, set its URL.'];
}

/** `AUD 100.00 a day, AUD 98.56 left`: what a service may cost, and what is left if that is known. */
export function limitTexts(
  { budget = {}, price, limitedBy = [] }: Pick<ResolvedService, 'budget' | 'price' | 'limitedBy'>,
  spent: SpentInPeriods['services'][number],
  units: readonly (keyof Amount)[] = ['requests', 'micros'],
): string[] {
  const show = (unit: keyof Amount, amount: number) =>
    unit === 'requests'
      ? counted(amount, 'call')
      : formatMoney(price?.currency ?? '', amount / microsPerUnit);
  const used = { perDay: spent?.day, perMonth: spent?.month, perStart: undefined };
  return Object.entries(budget).flatMap(([period, limits]) =>
    units.flatMap((unit) => {
      const limit = limits[unit];
      if (limit === undefined) return [];
      const paid = used[period as keyof typeof used]?.[unit] ?? 0;
      const left = paid > 0 ? `, ${show(unit, Math.max(0, limit - paid))} left` : '';
      const other = limitedBy.find((file) => file === limits.setIn);
      const setIn = other === undefined ? '' : ` (set in ${fromHere(other)})`;
      return `${show(unit, limit)} ${period.replace('per', 'a ').toLowerCase()}${setIn}${left}`;
    }),
  );
}

export function serviceCalls({
  most,
  price,
}: {
  readonly most: number;
  readonly price: { readonly currency: string; readonly most: number } | null;
}): string {
  const money = price ? moneyOrFree(price.currency, price.most) : 'price not set';
  return most === 0 ? 'no calls' : `up to ${counted(most, 'call')}, ${money}`;
}
