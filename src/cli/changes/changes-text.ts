import { styleText } from 'node:util';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import type { ChangeOp } from '../../records/changes/change.ts';
import type { ChangeTally, FieldTally, SampledChange } from '../../sinks/tally/change-tally.ts';
import { minuteOf, shortened, widthOf, wrapped } from '../terminal/text.ts';
import { listChanges, totalChanges } from './count-changes.ts';

export interface ShownChanges {
  readonly base: Run;
  readonly run: Run;
  readonly tally: ChangeTally;
  /** Kinds to show; all where there are none. */
  readonly ops: readonly ChangeOp[];
}

/** The kinds of changes as people look for them, with what could need a hand first. */
const titles: readonly (readonly [ChangeOp, string])[] = [
  ['company_lost', 'Lost'],
  ['company_replaced', 'Replaced'],
  ['company_found', 'Found'],
  ['company_changed', 'Changed'],
  ['person_joined', 'Joined'],
  ['person_left', 'Left'],
  ['person_changed', 'People changed'],
  ['row_added', 'New in the list'],
  ['row_removed', 'Gone from the list'],
];

const fieldsNamed = 5;

/** What changed between two runs, for people: the counts, and then the first changes of each kind. */
export function changesText(shown: ShownChanges, stream: NodeJS.WriteStream): string {
  const { base, run, tally, ops } = shown;
  const width = widthOf(stream);
  const bold = (text: string) => styleText('bold', text, { stream });
  const total = totalChanges(tally.counts);
  const span = `${endOf(base)} → ${endOf(run)}`;
  const lines = [
    bold(`${run.job}: ${runName(base)} → ${runName(run)}`),
    styleText('dim', span, { stream }),
    '',
    ...wrapped(total === 0 ? 'Nothing has changed.' : `${listChanges(tally.counts)}.`, width),
    ...fieldLines(tally.fields, width),
  ];
  for (const [op, title] of titles) {
    if (ops.length > 0 && !ops.includes(op)) continue;
    const samples = tally.samples.filter((sample) => sample.op === op);
    if (samples.length === 0) continue;
    const keyWidth = Math.min(20, Math.max(...samples.map(({ rowKey }) => rowKey.length)));
    lines.push('', bold(title));
    for (const sample of samples) lines.push(...sampleLines(sample, keyWidth, width, stream));
    const more = tally.counts[op] - samples.length;
    if (more > 0) lines.push(`  and ${more.toLocaleString('en')} more`);
  }
  return `${lines.join('\n')}\n`;
}

function endOf({ finishedAt, startedAt }: Run): string {
  return minuteOf(finishedAt ?? startedAt);
}

/** `Changed most: company_employee_count (12), company_phones (3)` */
function fieldLines(fields: readonly FieldTally[], width: number): string[] {
  if (fields.length < 2) return [];
  const most = fields.toSorted((one, other) => other.count - one.count).slice(0, fieldsNamed);
  const names = most.map(({ column, count }) => `${column} (${count.toLocaleString('en')})`);
  return wrapped(`Changed most: ${names.join(', ')}.`, width);
}

function sampleLines(
  { op, rowKey, name, nameBefore, reason, person, fields, moreFields }: SampledChange,
  keyWidth: number,
  width: number,
  stream: NodeJS.WriteStream,
): string[] {
  const key = shortened(rowKey, keyWidth).padEnd(keyWidth);
  const company = nameBefore === undefined ? name : `${nameBefore} → ${name}`;
  const about = `${company}${person ? `: ${person}` : ''}${reason ? ` (${reason})` : ''}`;
  const room = width - keyWidth - 4;
  const line = `  ${styleText('dim', key, { stream })}  ${shortened(about, room)}`;
  if (op !== 'company_changed' && op !== 'person_changed') return [line];
  const columnWidth = Math.min(34, Math.max(...fields.map(({ column }) => column.length)));
  const indent = ' '.repeat(4);
  return [
    line,
    ...fields.map(({ column, before, after }) => {
      const label = shortened(column, columnWidth).padEnd(columnWidth);
      const half = Math.max(8, Math.floor((width - columnWidth - indent.length - 5) / 2));
      const sides = [before, after].map((text) => shortened(text, half) || 'nothing');
      return `${indent}${styleText('dim', label, { stream })}  ${sides.join(' → ')}`;
    }),
    ...(moreFields > 0 ? [`${indent}and ${moreFields} more columns`] : []),
  ];
}
