import { DossierError } from '../../errors.ts';
import { openInput } from '../../input/open-input.ts';
import { readCorrections } from '../../job/mended/correction.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { ingest, lookAtRows } from '../../run/list/ingest.ts';
import { counted } from '../terminal/text.ts';

const rowsChecked = 1_000;

/** Reads the first rows of a list as a run would, and says how many of them have an identifier. */
export async function checkInput(job: ResolvedJob): Promise<string> {
  const { path, address, options } = job.input;
  if (path === '-') return 'standard input, which is read when the job runs';
  await using input = await openInput(address ?? path, options);
  let rows = 0;
  let good = 0;
  const queue = lookAtRows((read) => {
    rows += read.length;
    good += read.filter(({ reject }) => reject === undefined).length;
  });
  const first = { ...job, input: { ...job.input, maxRows: rowsChecked } };
  const corrections = readCorrections(job.corrections);
  const { plan, notes } = await ingest(queue, first, input, { corrections, isSample: true });
  if (rows === 0) return `${input.name} holds no rows`;

  const columns = plan.identify.map(({ index }) => input.columns[index] ?? '').join(', ');
  const scope = rows < rowsChecked ? 'all' : 'the first';
  const rowsText = `${scope} ${counted(rows, 'row', 'rows')}`;
  if (good === 0) {
    throw new DossierError(
      'NOTHING_TO_IDENTIFY',
      `none of ${rowsText} of ${input.name} has an identifier in ${columns}`,
    );
  }
  const share = Math.round((good / rows) * 100);
  // Where the job names no key, the ledger may have one that an earlier run has found.
  const keyNotes = job.input.key ? notes : [];
  const lines = [...input.notes(), ...keyNotes].map((note) => `\n${note}`).join('');
  return `${good.toLocaleString('en')} of ${rowsText} (${share}%) have an identifier, by ${columns}${lines}`;
}
