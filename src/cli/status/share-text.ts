import { styleText } from 'node:util';
import { formatDuration } from '../../runtime/duration.ts';
import { bytesText } from '../terminal/bytes-text.ts';
import { counted } from '../terminal/counted.ts';
import { shortened, widthOf, wrapped } from '../terminal/fit-text.ts';
import { minuteOf } from '../terminal/minute-of.ts';
import type { ShareJson } from './share-json.ts';

const labelWidth = 9;

/** What is shared, for people: the queue, the rate, and who is there. */
export function shareText(share: ShareJson, stream: NodeJS.WriteStream): string {
  const width = widthOf(stream);
  // Names and words that others have written stay within their lines.
  const field = (label: string, value: string) =>
    wrapped(value.replaceAll(/\s+/g, ' '), width - labelWidth).map(
      (line, index) => `${(index === 0 ? label : '').padEnd(labelWidth)}${line}`,
    );
  const warned = (label: string, value: string) =>
    field(label, value).map((line) => styleText('yellow', line, { stream }));
  const { calls, members, answers, throttledUntil, stop } = share;
  const { waiting, active, delayed } = calls;
  const lines = [
    styleText('bold', shortened(`${share.service}, shared through ${share.redis}`, width), {
      stream,
    }),
    ...field(
      'queue',
      `${number(waiting)} waiting, ${number(active)} active, ${number(delayed)} delayed`,
    ),
    ...field('rate', rateText(share)),
    ...(throttledUntil === null ? [] : warned('', throttleText(throttledUntil, share.at))),
    ...field('answers', `${number(answers.count)} kept, ${bytesText(answers.bytes)}`),
    ...(stop === null
      ? []
      : warned(
          'stopped',
          `${stop.code}: ${stop.message} (${stop.machine}, ${minuteOf(Date.parse(stop.at))})`,
        )),
    ...members.flatMap((member) => field(member.kind, memberText(member))),
    ...(members.length === 0 ? field('there', 'no run and no worker') : []),
    ...(share.workers === 0 && waiting > 0
      ? warned(
          '',
          'No worker is there: start one with `dossier worker`, or a run without --no-worker.',
        )
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Why less is allowed than somebody asks for. */
const loweredBy = {
  'other job': 'the lowest that is asked for',
  throttled: 'lowered, since the service has throttled calls',
  policy: 'lowered, since the service says that it allows no more',
  quota: 'lowered, since little is left of the quota of the service',
} as const satisfies Record<NonNullable<ShareJson['rate']['loweredBy']>, string>;

function rateText({ rate, members }: ShareJson): string {
  const { allowed, used, asked } = rate;
  if (allowed === null || used === null)
    return members.length === 0 ? 'none is asked for' : 'nothing limits it';
  const now = `${decimal(used)} of ${decimal(allowed)} requests in the last second`;
  if (rate.loweredBy === null) return now;
  const rates = [...new Set(asked)];
  const differing = rates.length > 1 ? ` (asked for: ${rates.map(decimal).join(', ')})` : '';
  return `${now}; ${loweredBy[rate.loweredBy]}${differing}`;
}

function throttleText(until: string, at: string): string {
  const left = formatDuration(Date.parse(until) - Date.parse(at));
  return `throttled for ${left}, until ${until.slice(11, 19)} UTC`;
}

function memberText(member: ShareJson['members'][number]): string {
  const { job, machine, pid, version, since, concurrency } = member;
  const who = `${job === null ? '' : `${job} on `}${machine} (pid ${pid})`;
  const makes =
    concurrency === 0 ? 'only waits' : `${counted(concurrency, 'call', 'calls')} at once`;
  return `${who}, ${makes}, version ${version}, since ${minuteOf(Date.parse(since))}`;
}

/** `8.47 → 8.5`, `0.0167 → 0.02` */
function decimal(value: number): string {
  return String(Number(value.toFixed(value < 1 ? 2 : 1)));
}

function number(value: number): string {
  return value.toLocaleString('en');
}
