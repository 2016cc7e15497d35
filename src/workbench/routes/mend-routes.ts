import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../errors.ts';
import { type Correction, readCorrections } from '../../job/mended/correction.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { PlanJson } from '../../overview/plan/plan-json.ts';
import { dropCorrections, keepCorrections } from '../../run/corrections.ts';
import type { CellVerdict, KeptCell, Mended, MendPrice } from '../api/mended.ts';
import { untilGone } from '../http/until-gone.ts';
import { findJob, requireShown } from '../jobs/find-job.ts';
import { type Judgement, judgeCell } from '../mended/judge-cell.ts';
import { notAsked, readColumns, readMended } from '../mended/mended-job.ts';
import { mostInRow } from '../rows/cut-cell.ts';
import type { TableDesk } from '../rows/table-desk.ts';
import type { DossierProgram } from '../runs/dossier-program.ts';
import type { RunDesk } from '../runs/run-desk.ts';
import { OfJob } from './of-run.ts';
import { withinBudget } from './run-routes.ts';

const Typed = z.strictObject({
  number: z.int().min(1),
  header: z.string().max(10_000),
  value: z.string().max(mostInRow),
});

/** The cell to take back; without one, all that no run has read yet. */
const TakeBack = OfJob.extend({ key: z.string(), header: z.string() }).or(
  z.strictObject(OfJob.shape),
);

/** What `fix --dry-run --json` prints, as far as the page shows it. */
const DryRun = z.object({ plan: PlanJson });

/** Requests that the user has agreed to; the run stops there. */
const Agreed = z.object({ atMost: z.int().min(0).optional() });

interface MendParts {
  readonly desk: RunDesk;
  readonly program: Pick<DossierProgram, 'ask'>;
  readonly tables: TableDesk;
}

type Cell = Pick<Correction, 'row_key' | 'column'>;
const isOf = (cell: Cell) => (kept: Cell) =>
  kept.row_key === cell.row_key && kept.column === cell.column;

/** Mending rejected rows: what is typed is judged and kept by the engine, and asked for by `dossier fix`. */
export function addMendRoutes(api: FastifyInstance, { desk, program, tables }: MendParts): void {
  const judge = async (job: ResolvedJob, body: unknown): Promise<Judgement> => {
    const { number, header, value } = Typed.parse(body);
    const { name, ledger, reference: names, reuse } = job;
    const row = await tables.ask('row', {
      of: { ledger, job: name, run: undefined },
      number,
      terms: { names, staleMs: reuse.staleOnFailureMs },
    });
    const read = readColumns(job);
    if (row.list.some((cell, at) => cell.header !== read.columns[at])) {
      const message = `the columns of the list have changed since ${row.run}`;
      throw new DossierError('FIX_NEEDS_RUN', message);
    }
    const kept = readCorrections(job.corrections);
    return judgeCell({ header, value, row, read, kept });
  };
  const jobOf = (query: unknown) => findJob(OfJob.parse(query).job);

  api.get('/mended', (request): Mended => readMended(jobOf(request.query)));
  api.post('/mended/verdict', async (request): Promise<CellVerdict> => {
    const { verdict } = await judge(jobOf(request.query), request.body);
    return verdict;
  });
  api.put('/mended', async (request): Promise<KeptCell> => {
    const job = jobOf(request.query);
    const { verdict, cell, correction } = await judge(job, request.body);
    if (correction) await keepCorrections(job, [correction]);
    if (verdict.kind === 'back') await dropCorrections(job, isOf(cell));
    return { verdict, mended: readMended(job) };
  });
  api.delete('/mended', async (request): Promise<Mended> => {
    const given = TakeBack.parse(request.query);
    const job = findJob(given.job);
    const cells = 'key' in given ? [{ row_key: given.key, column: given.header }] : notAsked(job);
    await dropCorrections(job, (kept) => cells.some((cell) => isOf(cell)(kept)));
    return readMended(job);
  });
  api.get('/mended/price', async (request, reply): Promise<MendPrice> => {
    const { job: path } = OfJob.parse(request.query);
    requireShown(path);
    const answer = await program.ask(['fix', path, '--dry-run'], untilGone(reply));
    const { plan } = DryRun.parse(answer);
    return { rows: plan.rows.total, plan };
  });
  api.post('/mended/ask', (request, reply) => {
    const { job: path } = OfJob.parse(request.query);
    const { atMost } = Agreed.parse(request.body ?? {});
    const job = findJob(path);
    const most = atMost === undefined ? [] : ['--max-calls', `${withinBudget(job, atMost)}`];
    desk.start(path, job, ['fix', path, ...most]);
    reply.code(202).send({});
  });
}
