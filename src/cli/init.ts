import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { kindName } from '../core/contract/identifier-kinds.ts';
import { DossierError } from '../core/errors.ts';
import { columnReadings } from '../core/identify/identifier.ts';
import { count, string, stringOrNull, strings, yesOrNo } from '../core/values/fields.ts';
import { formatShare } from '../core/values/format.ts';
import {
  inspectSample,
  type ListFindings,
  refuseExisting,
  sampleList,
  writeDraft,
} from '../facts/lists.ts';
import { correctionsPath } from '../job/corrections.ts';
import { draftJob } from '../job/from-list/draft-job.ts';
import { jobName } from '../job/from-list/job-name.ts';
import { identifyFlags, readInputForm } from '../job/job-flags.ts';
import { servicesFor } from '../job/services/load-services.ts';
import { sheetHint } from '../lists/input-row.ts';
import { isListAddress, shellWord, shownPath } from '../platform/files/local-path.ts';
import { readPastJob } from '../run/jobs/read-job.ts';
import { namesHint } from '../run/list/plan-columns.ts';
import { command } from './parts/command.ts';
import { argument, flag, listFlags, path, usage } from './parts/options.ts';
import { type Page, pageFor, shortened } from './terminal/text.ts';

const share = () => z.number().min(0).max(1);

export const InitJson = z.object({
  job: string('Name of the drafted job.'),
  path: string('The job file.'),
  input: string('The list.'),
  notes: strings('Guesses about the list, such as a skipped title or an encoding.'),
  rowsSeen: count('Number of rows that were read.'),
  identify: z
    .array(
      z.object({
        column: z.string(),
        as: z.enum(columnReadings).describe('Kind of identifier in the column.'),
        share: share().describe('Share of values that are identifiers, 0 to 1.'),
      }),
    )
    .describe('Columns to identify companies by, best first.'),
  sure: yesOrNo(
    'False if no column clearly has identifiers; `identify` then has the likeliest column.',
  ),
  country: z
    .object({
      column: z.string(),
      share: share().describe('Share of values that are known countries.'),
    })
    .nullable()
    .describe('The column with the country.'),
  key: stringOrNull('The column that identifies rows.'),
});
export const init = command({
  options: {
    ...listFlags,
    file: argument('CSV, JSON, JSONL, Parquet or Excel list of companies, or its URL'),
    to: path('Job file to write (default: beside the list); - is standard output'),
    force: flag('Replace an existing file'),
  },
  examples: {
    '$0 init fixtures/leads/leads.csv --to my-leads.yaml': 'draft a job for the sample list',
    '$0 init fixtures/leads/leads.csv --to -': 'print the draft without writing a file',
  },
  jsonHelp: 'Print the findings as one JSON object',
  async facts({ file, to, force, json, column, as, ...given }, { note, print }) {
    if (file === '-') throw usage('init needs a file, not a pipe');
    if (json && to === '-')
      throw usage('--json and --to - cannot be combined: both print to standard output');
    const name = jobName(file);
    const target = to ?? join(isListAddress(file) ? '' : dirname(file), `${name}.yaml`);
    if (target !== '-' && !force) refuseExisting(target);
    const form = readInputForm(given);
    const sample = await sampleList(file, form);
    const { register } = readPastJob(file, {});
    const list = inspectSample(sample, identifyFlags({ column, as }), existsSync(register));
    const { columns, isSure, key, sheet } = list;
    const noColumn = `No column clearly identifies companies.${namesHint(register)}`;
    // A draft for the wrong sheet would take the file name that the right draft needs.
    if (!isSure && sheetHint(sheet)) {
      throw new DossierError('COLUMNS_UNCLEAR', `${file}: ${noColumn}${sheetHint(sheet)}`);
    }
    note(...foundLines(list, pageFor(process.stderr)));
    const jobPath = shellWord(target === '-' ? `${name}.yaml` : target);
    const inputPath = listPathFor(file, target);
    const services = servicesFor(target === '-' ? '.' : dirname(target), process.env);
    const fixed = correctionsPath(undefined, file, '.');
    const corrections = fixed && existsSync(fixed) ? listPathFor(fixed, target) : undefined;
    const draft = draftJob({ ...list, name, inputPath, corrections, form, services });
    if (target === '-') print(draft);
    else await writeDraft(target, draft, force);
    const where = target === '-' ? 'the draft' : target;
    note(target === '-' ? '' : `\nWrote ${target}.`);
    if (!isSure) {
      const line = draft.split('\n').findIndex((text) => text.startsWith('  - column:')) + 1;
      const likeliest = JSON.stringify(shown(columns.identify[0]?.column ?? ''));
      note(
        `${noColumn}\nLine ${line} of ${where} names ${likeliest}: replace it with the right column.`,
      );
    }
    if (target === '-') return undefined;
    const hint = ', with DOSSIER_URL set (or add `--url embedded` to try sample data)';
    note(`Next${services.length > 0 ? '' : hint}:`);
    note(...['check', 'plan', 'run'].map((step) => `  dossier ${step} ${jobPath}`));
    return InitJson.parse({
      ...list,
      job: name,
      path: target,
      input: list.name,
      identify: columns.identify,
      sure: isSure,
      country: columns.country ?? null,
      key: key ?? null,
    });
  },
  text: () => [],
});

/** Removes secrets, because people commit the job file. */
function listPathFor(file: string, target: string) {
  if (isListAddress(file)) return shownPath(file);
  // Standard output has no folder, so the path is absolute.
  return target === '-' ? resolve(file) : relative(dirname(resolve(target)), resolve(file));
}

const shown = (name: string) => shortened(name, 30);

function foundLines(list: ListFindings, page: Page) {
  const { columns, key, sheet } = list;
  const country = columns.country && { ...columns.country, as: 'country' as const };
  const found = [...columns.identify, country].filter((one) => one !== undefined);
  const lines = found.map(({ column, as, share: part }) => ({
    column: shown(column),
    holds: as === 'country' || as === 'name' ? as : kindName(as),
    good: as === 'name' ? 'by the register' : `${formatShare(part)} of its values`,
  }));
  if (key !== undefined) lines.push({ column: shown(key), holds: 'key', good: 'unique' });
  const facts = page.facts({
    list: list.name,
    rows: list.rowsSeen,
    sheet: sheet && shown(sheet.name),
    otherSheets: sheet?.others.map(shown),
    columns: lines,
  });
  return [...list.notes, ...facts];
}
