import { hash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pLimit from 'p-limit';
import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { microsPerUnit } from '../../core/values/money.ts';
import { pageUrlVariable } from '../../core/values/variables.ts';
import { upgradeLedger } from '../../engine/ledger/care/upgrade-ledger.ts';
import { openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import { scanFolder } from '../../facts/folder.ts';
import { keyVariable } from '../../job/read-address.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { writeFileAtomically } from '../../platform/files/atomic-file.ts';
import { fromHere } from '../../platform/files/local-path.ts';
import { makeOutputFolder } from '../../results/destinations/folder/prepare-export.ts';
import { ledgerNotes } from '../../run/jobs/find-ledger.ts';
import { type OpenedJob, readJob, readPastJob } from '../../run/jobs/read-job.ts';
import type { ApiProblem, FolderState, Settings, Upgraded } from './api/answers.ts';
import { WorkbenchSettings } from './api/requests.ts';
import { accessOf, OfJob, requireShown, tryToOpen } from './find-job.ts';
import { problemOf } from './http.ts';
import type { Runs } from './runs/runs.ts';

/** A file, because browser storage is per port, and each start may get a different port. */
const file = 'output/workbench.json';

const Of = OfJob.partial();

export function addSettingsRoutes(api: FastifyInstance, runs: Runs): void {
  const writeInTurn = pLimit(1);
  api.get('/folder', (request) => folderState(Of.parse(request.query).job, runs));
  api.post('/upgrade', async (request): Promise<Upgraded> => {
    const copy = await upgradeLedger(jobOf(Of.parse(request.query).job).ledger);
    return { copy: copy === undefined ? null : fromHere(copy) };
  });
  api.get('/settings', (request) => settingsOf(Of.parse(request.query).job));
  const change = (changes: (saved: WorkbenchSettings) => object) =>
    writeInTurn(async () => {
      const saved = await readSaved();
      const settings = WorkbenchSettings.parse({ ...saved, ...changes(saved) });
      makeOutputFolder(dirname(resolve(file)));
      await writeFileAtomically(resolve(file), `${JSON.stringify(settings, null, 2)}\n`);
      return settings;
    });
  api.put('/settings', (request) => {
    const changes = z.looseObject({}).parse(request.body);
    return change(() => changes);
  });
  api.put('/presets', async (request) => {
    const named = Preset.parse(request.body);
    const preset = { ...named, name: nameOf(named.label) };
    await change(({ presets }) => ({
      presets: [...presets.filter(({ name }) => name !== preset.name), preset],
    }));
    return preset;
  });
}

async function folderState(path: string | undefined, runs: Runs): Promise<FolderState> {
  // Damaged settings must not hide the page, because the user may need it to stop a run.
  const { theme } = await readSaved().catch(() => WorkbenchSettings.parse({}));
  // For a broken job, the view shows the error and the header shows the folder's defaults.
  const hasJob = path !== undefined && tryToOpen(path) !== undefined;
  const job = jobOf(hasJob ? path : undefined);
  const last = hasJob ? runOf(job, runs) : undefined;
  return {
    isSample: accessOf(job).isSample,
    isLastReal: last?.isReal === true,
    theme,
    outdated: outdatedProblem(job),
    job: path,
    stamp: stampOf(job, last?.text),
  };
}

function outdatedProblem({ ledger }: ResolvedJob): ApiProblem | null {
  try {
    openLedgerToRead(ledger)?.[Symbol.dispose]();
    return null;
  } catch (error) {
    // The views show other problems.
    const problem = problemOf(error);
    return problem.code === 'LEDGER_OUTDATED' ? problem : null;
  }
}

const Preset = z.object({
  label: z.string().trim().min(1).max(60),
  columns: z.array(z.string().max(1_000)).min(1).max(2_000),
});

/** `For sales → own-for-sales`, so it never replaces a built-in preset. */
function nameOf(label: string) {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return `own-${words?.join('-') ?? 'columns'}`;
}

/** Without a path, returns a job with the default settings of a list in this folder. */
function jobOf(path: string | undefined): OpenedJob {
  if (path !== undefined) requireShown(path);
  const { ledger, ledgerPlace } = readPastJob(path, {});
  try {
    return { ...readJob(path ?? 'any-list', {}), ledger, ledgerPlace };
  } catch (error) {
    // No list may use the first service, whose variable is not set.
    if (path !== undefined || !(error instanceof DossierError)) throw error;
    return { ...readJob('any-list', { url: 'http://localhost' }), ledger, ledgerPlace };
  }
}

/** Throws for a damaged file, which may have presets. */
async function readSaved(): Promise<WorkbenchSettings> {
  if (!existsSync(resolve(file))) return WorkbenchSettings.parse({});
  try {
    return WorkbenchSettings.parse(JSON.parse(await readFile(resolve(file), 'utf8')));
  } catch (cause) {
    const message = `the saved settings cannot be read: repair or delete ${file}`;
    throw new DossierError('INPUT_INVALID', message, { cause });
  }
}

async function settingsOf(path: string | undefined): Promise<Settings> {
  const job = jobOf(path);
  const written = path === undefined ? job : asWritten(path);
  return {
    ...(await readSaved()),
    folder: process.cwd(),
    ledger: fromHere(job.ledger),
    ledgerNotes: ledgerNotes(job),
    service: {
      ...accessOf(job),
      isDescribed: written.servicesFile !== undefined,
      overrides: [
        ...(process.env[pageUrlVariable] ? ['--url'] : []),
        ...(process.env[keyVariable] ? [keyVariable] : []),
      ],
    },
    terms: path === undefined ? null : termsOf(job, written, path),
  };
}

/** With sample data a job has no price, so another URL is used to read what its file says. */
function asWritten(path: string) {
  const env = { ...process.env, [pageUrlVariable]: '', DOSSIER_URL: 'http://localhost' };
  return readJob(path, {}, env);
}

function termsOf(
  { limits, budget, suppress }: ResolvedJob,
  { services: [{ price }] }: Pick<ResolvedJob, 'services'>,
  path: string,
): Settings['terms'] {
  const amount = (micros: number | undefined) =>
    micros === undefined ? null : micros / microsPerUnit;
  const { perStart = null, perDay = null, perMonth = null } = budget;
  return {
    rate: limits.rate === 'none' ? null : limits.rate,
    perStart,
    perDay,
    perMonth,
    confirmAbove: budget.confirmAboveMicros / microsPerUnit,
    suppress: suppress.map((list) => relative(dirname(resolve(path)), list)),
    price: price
      ? {
          company: amount(price.companyMicros),
          people: amount(price.peopleMicros),
          currency: price.currency,
        }
      : null,
  };
}

/**
 * The stamp changes when a view must be reloaded. For a job, only the start and end of a run count,
 * not each write to the ledger.
 */
function stampOf(job: ResolvedJob, run: string | undefined) {
  const { jobs, lists } = scanFolder(process.cwd());
  const fixes = jobs.map((path) => path.replace(/\.ya?ml$/i, '.fixed.jsonl'));
  const ledger = run !== undefined ? [] : [job.ledger, `${job.ledger}-wal`];
  const services = job.servicesFile ?? [];
  const paths = [...jobs, ...lists, ...fixes, file, ...ledger].concat(services);
  const facts = paths.map((path) => {
    const found = statSync(resolve(path), { throwIfNoEntry: false });
    return `${path} ${found?.mtimeMs} ${found?.size}`;
  });
  const text = [run, ...facts].join('\n');
  return hash('sha256', text, 'base64url').slice(0, 16);
}

function runOf(job: ResolvedJob, runs: Runs) {
  try {
    const { isRunning, run, ended } = runs.stateOf(job);
    const text = [isRunning, run?.run, run?.state, ended?.exitCode].join(' ');
    return { text, isReal: run?.sampleData === false };
  } catch (error) {
    if (error instanceof DossierError) return { text: error.message, isReal: false };
    throw error;
  }
}
