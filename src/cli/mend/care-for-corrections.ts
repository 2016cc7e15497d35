import { relative } from 'node:path';
import { styleText } from 'node:util';
import { readCorrections } from '../../job/mended/corrections-file.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { type ListedCorrection, listCorrections } from '../../run/mend/list-corrections.ts';
import { forgetCorrections, requirePlace } from '../../run/mend/mend-list.ts';
import { printable } from '../../runtime/printable.ts';
import { counted } from '../terminal/counted.ts';
import { mendListJson } from './mend-json.ts';
import { correctionLines } from './mend-text.ts';

interface Given {
  readonly job: string;
  readonly json: boolean;
}

const marks: Record<ListedCorrection['state'], string> = {
  applies: '',
  unneeded: 'no longer needed',
  missing: 'not in the list',
  unknown: '',
};

/** Shows the corrections of a job. */
export async function listThem(job: ResolvedJob, { json }: Given): Promise<void> {
  const path = requirePlace(job);
  const listed = await listCorrections(job);
  if (json) return print(mendListJson(job.name, path, listed));
  const { corrections, trouble } = listed;
  const stream = process.stdout;
  const lines = correctionLines(corrections);
  const where = printable(relative(process.cwd(), path));
  const title = `${job.name}: ${counted(corrections.length, 'correction', 'corrections')}`;
  const shown = lines.map((line, index) => {
    const mark = marks[corrections[index]?.state ?? 'unknown'];
    return mark === '' ? line : `${line}  ${styleText('yellow', mark, { stream })}`;
  });
  const place = corrections.length === 0 ? '' : ` in ${where}`;
  stream.write(`${[styleText('bold', `${title}${place}`, { stream }), ...shown].join('\n')}\n`);
  if (trouble !== undefined) {
    process.stderr.write(`Which of them the list still needs is not known: ${trouble}\n`);
  }
}

/** Drops corrections; the next run reads the cells as the list has them. */
export async function dropThem(
  job: ResolvedJob,
  rowKeys: readonly string[] | 'all',
  { json, ...given }: Given,
): Promise<void> {
  const file = requirePlace(job);
  const dropped = await forgetCorrections(job, rowKeys);
  const left = readCorrections(file).length;
  if (json) return print({ job: job.name, file, dropped, left });
  const title = `${counted(dropped.length, 'correction', 'corrections')} dropped, ${left} left`;
  process.stdout.write(`${[title, ...correctionLines(dropped)].join('\n')}\n`);
  if (dropped.length === 0) return;
  process.stderr.write(
    `The next run reads these rows as the list has them: dossier run ${given.job}\n`,
  );
}

function print(object: object): void {
  process.stdout.write(`${printable(JSON.stringify(object))}\n`);
}
