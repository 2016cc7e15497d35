import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../../core/errors.ts';
import {
  type Correction,
  putCorrections,
  readCorrections,
  unnumbered,
} from '../../../job/corrections.ts';
import { dropCorrections, keepCorrections, readListed } from '../../../run/corrections.ts';
import { TypedCell } from '../api.ts';
import { findJob, shownPath } from '../find-job.ts';
import { mostCellsPerRequest } from '../limits.ts';
import { mostBodyBytes, sourceOf } from '../rows/row-routes.ts';
import type { Tables } from '../rows/tables.ts';
import { judgeCell, readFixes } from './fixes.ts';

const Cells = z.strictObject({ cells: z.array(TypedCell).min(1).max(mostCellsPerRequest) });

const cellText = ({ row_key, column }: Pick<Correction, 'row_key' | 'column'>) =>
  JSON.stringify([row_key, column]);

export function addFixRoutes(api: FastifyInstance, tables: Tables): void {
  const jobOf = (query: unknown) => findJob(shownPath(query));
  const judge = async (query: unknown, cells: readonly TypedCell[]) => {
    const job = jobOf(query);
    const numbers = [...new Set(cells.map(({ number }) => number))];
    const found = await tables.ask('fixable', { source: await sourceOf(query), query: numbers });
    const rows = new Map(found.rows.map((row) => [row.number, row]));
    const keys = found.rows.map(({ key }) => key);
    const read = readListed(job, new Set(), keys);
    if (found.columns.some((header, at) => header !== read.columns[at])) {
      const message = `the columns of the list have changed since ${found.run}`;
      throw new DossierError('FIX_NEEDS_RUN', message);
    }
    const keyOf = ({ row_key }: Correction) => unnumbered(row_key);
    const corrections = Map.groupBy(readCorrections(job.corrections), keyOf);
    return cells.map((cell) => {
      const row = rows.get(cell.number);
      if (!row) throw new DossierError('RUN_MISSING', `${found.run} has no row ${cell.number}`);
      const ofKey = corrections.get(unnumbered(row.key)) ?? [];
      const judged = judgeCell(cell, row, read, ofKey);
      // The next cell of the row is judged together with this one.
      if (judged.correction)
        corrections.set(unnumbered(row.key), putCorrections(ofKey, [judged.correction]));
      return judged;
    });
  };

  api.get('/fixes', (request) => readFixes(jobOf(request.query)));
  api.post('/fixes/verdict', async (request) => {
    const [judged] = await judge(request.query, [TypedCell.parse(request.body)]);
    return judged?.verdict;
  });
  api.put('/fixes', { bodyLimit: mostBodyBytes }, async (request) => {
    const job = jobOf(request.query);
    const judged = await judge(request.query, Cells.parse(request.body).cells);
    const corrections = judged.flatMap(({ correction }) => correction ?? []);
    if (corrections.length > 0) await keepCorrections(job, corrections);
    const back = judged.filter(({ verdict }) => verdict.kind === 'back');
    const dropped = new Set(back.map(({ cell }) => cellText(cell)));
    if (dropped.size > 0) await dropCorrections(job, (one) => dropped.has(cellText(one)));
    return judged.map(({ verdict }) => verdict);
  });
}
