import { formatMoney, moneyOf } from '../runtime/budget/money.ts';
import { formatDuration } from '../runtime/duration.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';
import { printable } from '../runtime/printable.ts';
import { type EndedRun, eventOf } from './ended-run.ts';

/** What is known of the process that tells of a run. */
export interface Teller {
  readonly host: string;
  readonly version: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The message about the end of a run: `text` is what a chat shows, the rest is for programs. */
export function composeMessage(ended: EndedRun, teller: Teller) {
  const { host, version, startedAt, endedAt } = teller;
  const { job, run, exitCode, reason, remedy, rows, people, calls, requests, money } = ended;
  const { changes, held, complete } = ended;
  const message = ended.message === null ? null : withoutSecrets(ended.message);
  return {
    text: textOf({ ...ended, message }, teller),
    event: eventOf(exitCode),
    ...{ job, run, exitCode, reason, message, remedy, complete, held },
    ...{ rows, people, changes, calls, requests, money },
    ...{ folder: ended.folder, sampleData: ended.sampleData, host, version },
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    seconds: Math.max(0, endedAt - startedAt) / 1_000,
  };
}

/** The smallest of the chats takes 4,096 characters; nobody reads more than this. */
const longestText = 1_500;

/** `nightly finished (exit 0) in 1m12s on crow: 300 rows, 270 matched, …` */
function textOf(ended: EndedRun, { host, startedAt, endedAt }: Teller): string {
  const { job, run, exitCode, reason, message, remedy, rows, calls, folder, sampleData } = ended;
  const { changed, changes } = ended;
  const took = formatDuration(Math.max(0, endedAt - startedAt));
  const name = run === null ? job : `${job} (${run})`;
  const sample = sampleData ? ', of SAMPLE DATA' : '';
  const end = reason === null ? `exit ${exitCode}` : `exit ${exitCode}, ${reason}`;
  const [firstLine = ''] = (message ?? '').split('\n');
  const lines = [
    `Dossier: ${name} ${words[eventOf(exitCode)]} (${end}) after ${took} on ${host}${sample}`,
    capitalised(firstLine),
    firstLine === '' ? '' : (remedy ?? ''),
    [countsText('Rows', rows), countsText('Calls', calls), spentText(ended)]
      .filter(Boolean)
      .join(' '),
    changes?.since ? `Changes since ${changes.since}: ${changed || 'none'}.` : '',
    folder === null ? '' : `Files: ${folder}`,
  ];
  const text = unmarked(lines.filter((line) => line !== '').join('\n'));
  return text.length > longestText ? `${text.slice(0, longestText - 1).toWellFormed()}…` : text;
}

const words = {
  finished: 'finished',
  failed: 'did not finish',
  expectation: 'finished, but not as expected',
} as const;

function spentText({ money }: EndedRun): string {
  return money === null ? '' : `Spent: ${formatMoney(moneyOf(money))}.`;
}

const wordsOf: Readonly<Record<string, string>> = {
  not_found: 'not found',
  // These are among the others.
  stale: 'of them stale',
};

function capitalised(line: string): string {
  return line.charAt(0).toUpperCase() + line.slice(1);
}

function countsText(label: string, counts: Readonly<Record<string, number>> | null): string {
  const some = Object.entries(counts ?? {}).filter(([, count]) => count > 0);
  if (some.length === 0) return '';
  const listed = some.map(([name, count]) => `${count} ${wordsOf[name] ?? name}`);
  return `${label}: ${listed.join(', ')}.`;
}

/**
 * Chats read `<!channel>` and `@channel` as a call to everybody in it, and a message may quote words of
 * the service.
 */
function unmarked(text: string): string {
  const compared = text.replaceAll('>=', '≥').replaceAll('<=', '≤');
  return printable(compared).replaceAll('<', '‹').replaceAll('>', '›').replaceAll('@', '(at)');
}
