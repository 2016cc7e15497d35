import type { CallRequest } from '../../contract/call.ts';
import { describeCall } from '../status/doubtful-calls.ts';
import { counted, shortened, widthOf } from '../terminal/text.ts';

const indent = '  ';
/** The first few show what kind of calls they are; `dossier status` lists them all. */
const callsShown = 5;

/** What a second signal costs, for people: the calls that may have been charged without an answer. */
export function cutOffText(calls: readonly CallRequest[], stream: NodeJS.WriteStream): string {
  if (calls.length === 0) return 'Left at once; no call was waiting for its answer.\n';
  const width = widthOf(stream) - indent.length;
  const more = calls.length - callsShown;
  const lines = [
    `Left at once; ${counted(calls.length, 'call', 'calls')} may have been charged without an answer:`,
    ...calls.slice(0, callsShown).map((call) => indent + shortened(describeCall(call), width)),
    ...(more > 0 ? [`${indent}and ${more.toLocaleString('en')} more`] : []),
    'They are made again by the next run; `dossier status` names them all.',
  ];
  return `${lines.join('\n')}\n`;
}
