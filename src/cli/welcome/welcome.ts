import { styleText } from 'node:util';
import { jobName } from '../../job/job-name.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { findWork, type Work } from './find-work.ts';

type Step = readonly [command: string, purpose: string];

/** What `dossier` alone says: the next three commands, by what lies in this folder. */
export function welcomeText(folder: string, stream: NodeJS.WriteStream): string {
  const { title, steps } = nextSteps(findWork(folder));
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

function nextSteps({ jobs: [job], lists: [list], ledger }: Work): {
  title: string;
  steps: readonly Step[];
} {
  const work = job ?? list;
  if (ledger !== undefined && work !== undefined) {
    const name = shellWord(work);
    return {
      title: `There are runs in ${ledger}`,
      steps: [
        ['dossier status', 'where they stand'],
        [`dossier run ${name}`, 'go on, or ask what is new'],
        [`dossier export ${name}`, 'the files again, without a call'],
      ],
    };
  }
  if (job !== undefined) {
    const name = shellWord(job);
    return {
      title: 'There is a job here',
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
      list === undefined ? 'With a list of yours, CSV, JSONL or Excel' : 'There is a list here',
    steps: [
      [`dossier identify ${name}`, 'what it holds, offline and free'],
      [`dossier init ${name}`, 'draft a job from its columns'],
      [
        `dossier plan ${shellWord(`${jobName(list ?? 'leads.csv')}.yaml`)}`,
        'how many calls it takes, before the first',
      ],
    ],
  };
}
