import { createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { prepareAnswers } from './prepared-answers.ts';
import { createRateWindow } from './rate-window.ts';
import { siteIn } from './sample-sites.ts';

/*
 * A service with prepared answers over plain sockets. It takes almost no CPU time, so that benches
 * measure the run and not the service. It can add latency and enforce a rate.
 */
const { values } = parseArgs({
  options: {
    latency: { type: 'string', default: '0' },
    rate: { type: 'string', default: 'none' },
  },
});
const latencyMs = Number(values.latency);
const answerFor = prepareAnswers();
const window = createRateWindow(values.rate === 'none' ? undefined : Number(values.rate));
const busy = Buffer.from(
  'HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n',
);
const endOfHead = '\r\n\r\n';

function converse(socket: Socket): void {
  let pending = '';
  socket.setNoDelay(true);
  socket.on('data', (chunk) => {
    const text = pending + chunk.toString('latin1');
    const end = text.indexOf(endOfHead);
    const head = text.slice(0, end);
    const isWhole = end !== -1;
    pending = isWhole ? '' : text;
    if (!isWhole) return;
    if (head.startsWith('GET /seen')) {
      socket.end(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(window.seen())}`);
      return;
    }
    const isTaken = window.take();
    const bytes = isTaken ? answerFor(siteIn(head)) : busy;
    if (latencyMs === 0) socket.write(bytes);
    else setTimeout(() => socket.write(bytes), latencyMs);
  });
  // Benches kill clients, whose sockets then fail.
  socket.on('error', () => socket.destroy());
}

const server = createServer(converse);
server.listen(0, '127.0.0.1', 1_024, () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`DOSSIER_URL=http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
