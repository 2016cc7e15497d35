import { styleText } from 'node:util';
import { z } from 'zod';
import type { examineLedger } from '../../ledger/care/examine-ledger.ts';
import { counted, fromHere, widthOf, wrapped } from '../terminal/text.ts';

/** What `ledger check --json` prints. */
export const LedgerCheckJson = z.strictObject({
  ledger: z.string().describe('The ledger that was looked through.'),
  ok: z.boolean().describe('Whether nothing is wrong with it.'),
  answers: z.int().nonnegative().describe('Answers whose checksum was compared.'),
  findings: z.array(
    z.strictObject({
      what: z
        .enum(['file', 'relation', 'list', 'row', 'answer'])
        .describe(
          'The file itself, lines that name a missing one, damaged lists, or damaged answers.',
        ),
      finding: z.string().describe('What is wrong.'),
      count: z.int().nullable().describe('How many lines or answers; null where nobody knows.'),
      remedy: z.string().describe('What to do about it.'),
    }),
  ),
});
export type LedgerCheckJson = z.output<typeof LedgerCheckJson>;

export function checkJson({
  path,
  answers,
  findings,
}: ReturnType<typeof examineLedger>): LedgerCheckJson {
  return { ledger: path, ok: findings.length === 0, answers, findings: [...findings] };
}

/** One line if all is well, else each finding with its remedy below. */
export function checkText(report: LedgerCheckJson, stream: NodeJS.WriteStream): string {
  const { ledger, ok, answers, findings } = report;
  const sign = ok ? styleText('green', '✓', { stream }) : styleText('red', '✗', { stream });
  const seen = counted(answers, 'answer', 'answers');
  if (ok) return `${sign} ${fromHere(ledger)}: whole, ${seen} looked through\n`;
  const width = widthOf(stream) - 2;
  const lines = findings.flatMap(({ finding, remedy }, index) => {
    // SQLite may find many faults, which have one remedy.
    const isLast = findings[index + 1]?.remedy !== remedy;
    return [finding, ...(isLast ? [`→ ${remedy}`] : [])].flatMap((line) => wrapped(line, width));
  });
  const number = counted(findings.length, 'finding', 'findings');
  return `${[`${sign} ${fromHere(ledger)}: ${number}`, ...lines.map((line) => `  ${line}`)].join('\n')}\n`;
}
