import { styleText } from 'node:util';
import { bytesText } from './text.ts';

export interface Progress extends Disposable {
  /** Whether it is a line at a terminal, which leaves nothing behind. */
  readonly isLive: boolean;
  /** Shows how far the work is; `share` is undefined when its length is unknown. */
  show(text: string, share: number | undefined): void;
}

const redrawMs = 100;
const plainLineMs = 5_000;
const barWidth = 12;

/** Shows nothing: a log of JSON may hold nothing but events. */
export const silentProgress: Progress = { isLive: false, show() {}, [Symbol.dispose]() {} };

/** A line that is redrawn on a terminal; without a terminal, a new line every few seconds. */
export function openProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  // CI logs keep every redraw as a line of its own, so a terminal in CI gets plain lines.
  const isLive = stream.isTTY === true && process.env.TERM !== 'dumb' && !process.env.CI;
  let lastShownAt = isLive ? -Infinity : performance.now();
  let hasLine = false;

  return {
    isLive,
    show(text, share) {
      const now = performance.now();
      if (now - lastShownAt < (isLive ? redrawMs : plainLineMs)) return;
      lastShownAt = now;
      const percent = share === undefined ? '' : `${Math.floor(share * 100)}% `;
      if (!isLive) {
        stream.write(`${percent}${text}\n`);
        return;
      }
      hasLine = true;
      const bar = share === undefined ? '' : `${drawBar(share, barWidth)} `;
      const line = withWholeParts(`${bar}${percent}${text}`, Math.max(20, stream.columns - 1));
      stream.write(`\r\u001b[2K${line.replace(bar, styleText('cyan', bar, { stream }))}`);
    },
    [Symbol.dispose]() {
      if (hasLine) stream.write('\r\u001b[2K');
      hasLine = false;
    },
  };
}

/** Shows how much of a list has come. A log needs no line for that: the list is there, or an error says why not. */
export function showReceived(progress: Progress, bytes: number, ofBytes: number | undefined): void {
  if (!progress.isLive) return;
  const share = ofBytes === undefined ? undefined : bytes / Math.max(1, ofBytes);
  progress.show(`fetching the list  ${bytesText(bytes)}`, share);
}

/** Drops whole parts from the end until the line fits: a number that is cut would be wrong. */
function withWholeParts(line: string, width: number): string {
  const parts = line.split('  ');
  while (parts.length > 1 && parts.join('  ').length > width) parts.pop();
  return parts.join('  ').slice(0, width);
}

function drawBar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
