import { styleText } from 'node:util';
import { z } from 'zod';
import { type ErrorCode, errorCatalog } from '../../errors.ts';
import { wrapped } from '../terminal/text.ts';

const partNames = [
  ...(['job', 'input', 'corrections', 'ledger', 'snapshot', 'output'] as const),
  ...(['notify', 'heartbeat', 'key', 'service'] as const),
  ...(['share', 'share-version', 'share-eviction', 'share-rights', 'share-tls'] as const),
] as const;

const Check = z.object({
  part: z.enum(partNames),
  state: z
    .enum(['ok', 'warning', 'failed', 'skipped'])
    .describe('A run works with a `warning`, and should not have to for long.'),
  finding: z.string().describe('What was found, or what is wrong.'),
  code: z.string().optional().describe('Code of the error, where it failed.'),
  remedy: z.string().optional().describe('What to do about it.'),
});
export type Check = z.output<typeof Check>;

/** What `check --json` prints. */
export const CheckJson = z.object({
  ok: z.boolean().describe('Whether a run would find everything it needs.'),
  exitCode: z.int().describe('That of the first part that failed, or 0.'),
  checks: z.array(Check).describe('In order; what cannot be looked at is skipped.'),
});
export type CheckJson = z.output<typeof CheckJson>;

export function summarise(checks: readonly Check[]): CheckJson {
  const failed = checks.find(({ state }) => state === 'failed');
  const exitCode = failed?.code ? errorCatalog[failed.code as ErrorCode].exitCode : 0;
  return { ok: failed === undefined, exitCode, checks: [...checks] };
}

const signs = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  failed: ['✗', 'red'],
  skipped: ['-', 'dim'],
} as const;
const width = 79;

/** One line for each part with its remedy below, at most 79 characters wide. */
export function renderCheck({ checks }: CheckJson, stream: NodeJS.WriteStream): string {
  const nameWidth = Math.max(...checks.map(({ part }) => part.length)) + 2;
  const fitted = (line: string) => wrapped(line, width - nameWidth - 2);
  const lines = checks.flatMap(({ part, state, finding, remedy }) => {
    const [sign, color] = signs[state];
    const indent = ' '.repeat(nameWidth + 2);
    const [first = '', ...others] = finding.split('\n').flatMap((line) => fitted(line));
    return [
      `${styleText(color, sign, { stream })} ${`${part}:`.padEnd(nameWidth)}${first}`,
      ...others.map((line) => indent + line),
      ...(remedy ? fitted(`→ ${remedy}`).map((line) => indent + line) : []),
    ];
  });
  return `${lines.join('\n')}\n`;
}
