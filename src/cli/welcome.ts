import { styleText } from 'node:util';
import { jobFileName } from '../job/from-list/job-for-file.ts';
import { scanFolder } from '../ui/overview/folder.ts';
import { hasBrowser } from './open-browser.ts';
import { shellWord } from './terminal/text.ts';

/** The sample job of the repository. */
const demo = 'jobs/demo.yaml';

type Scan = ReturnType<typeof scanFolder>;
type Step = readonly [command: string, purpose: string];

/** Whoever has a browser at hand is better off there. */
const inBrowser: Step = ['dossier ui', 'in the browser: drop a list, look, correct, run'];

/** What `dossier` without arguments prints: the next commands for this folder. */
export async function welcomeText(folder: string, stream: NodeJS.WriteStream): Promise<string> {
  const scan = scanFolder(folder);
  const { title, steps: inTerminal } = nextSteps(scan, await lastRunOf(scan));
  const steps = stream.isTTY && hasBrowser() ? [inBrowser, ...inTerminal] : inTerminal;
  const width = Math.max(...steps.map(([command]) => command.length));
  return [
    'Dossier turns a list of company identifiers into company and people records.',
    '',
    `${title}:`,
    '',
    ...steps.map(
      ([command, purpose]) =>
        `  ${styleText('bold', command, { stream })}${' '.repeat(width - command.length)}  ${purpose}`,
    ),
    '',
    'dossier --help lists every command; --help behind a command says what it takes.',
    '',
  ].join('\n');
}

async function lastRunOf(scan: Scan): Promise<string | undefined> {
  if (!scan.mayHaveRun) return undefined;
  const { findLastRun } = await import('../ui/overview/jobs.ts');
  return findLastRun(scan);
}

function nextSteps(
  { jobs, lists }: Scan,
  lastRun: string | undefined,
): { title: string; steps: readonly Step[] } {
  if (lastRun !== undefined) {
    const name = shellWord(lastRun);
    return {
      title: `${name} has run here`,
      steps: [
        [`dossier status ${name}`, 'where it stands'],
        [`dossier run ${name}`, 'go on, or ask what is new'],
        [`dossier export ${name}`, 'the files again, without a call'],
      ],
    };
  }
  const [job] = jobs;
  const [list] = lists;
  if (jobs.includes(demo)) {
    return {
      title: `${countOf(jobs)}, one of them a demo`,
      steps: [
        // DOSSIER_URL overrides the address of the job and may name a paid service.
        [`dossier run ${demo} --url embedded`, 'sample data, offline and free'],
        [`dossier status ${demo}`, 'then what came out'],
        [`dossier init ${shellWord(list ?? 'leads.csv')}`, 'draft a job from a list of yours'],
      ],
    };
  }
  if (job !== undefined) {
    const name = shellWord(job);
    return {
      title: countOf(jobs),
      steps: [
        [`dossier check ${name}`, 'whether it would run'],
        [`dossier plan ${name}`, 'how many calls it takes, before the first'],
        [`dossier run ${name}`, 'run it; run it again to go on'],
      ],
    };
  }
  const name = shellWord(list ?? 'leads.csv');
  return {
    title:
      list === undefined
        ? 'With a list of yours, CSV, JSON, JSONL, Parquet or Excel'
        : 'There is a list here',
    steps: [
      [`dossier identify ${name}`, 'what it holds, offline and free'],
      [`dossier init ${name}`, 'draft a job from its columns'],
      [
        `dossier plan ${shellWord(jobFileName(list ?? 'leads.csv'))}`,
        'how many calls it takes, before the first',
      ],
    ],
  };
}

function countOf(jobs: readonly string[]): string {
  return jobs.length === 1 ? 'There is a job here' : `There are ${jobs.length} jobs here`;
}
