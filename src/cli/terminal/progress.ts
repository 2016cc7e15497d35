import { styleText } from 'node:util';

export interface Progress extends Disposable {
  /** Shows where the work stands; `share` is undefined where the end is not known. */
  show(text: string, share: number | undefined): void;
}

const redrawMs = 100;
const plainLineMs = 5_000;
const barWidth = 12;

/** One line that redraws itself on a terminal; off a terminal, a plain line every few seconds. */
export function openProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  // Continuous integration keeps what a terminal would redraw.
  const isLive = stream.isTTY === true && process.env.TERM !== 'dumb' && !process.env.CI;
  let lastShownAt = isLive ? -Infinity : performance.now();
  let hasLine = false;

  return {
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

/** The parts that fit, the most important first; half a number would be a wrong one. */
function withWholeParts(line: string, width: number): string {
  const parts = line.split('  ');
  while (parts.length > 1 && parts.join('  ').length > width) parts.pop();
  return parts.join('  ').slice(0, width);
}

function drawBar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
