import { createServer, type Socket } from 'node:net';
import { prepareAnswers } from './prepared-answers.ts';
import { siteIn } from './sample-sites.ts';

/*
 * A service with prepared answers over plain sockets. It takes almost no CPU time, so that benches
 * measure the run and not the service.
 */
const answerFor = prepareAnswers();
const endOfHead = '\r\n\r\n';

function converse(socket: Socket): void {
  let pending = '';
  socket.setNoDelay(true);
  socket.on('data', (chunk) => {
    const text = pending + chunk.toString('latin1');
    const end = text.indexOf(endOfHead);
    pending = end === -1 ? text : '';
    if (end !== -1) socket.write(answerFor(siteIn(text.slice(0, end))));
  });
  socket.on('error', () => socket.destroy());
}

const server = createServer(converse);
server.listen(0, '127.0.0.1', 1_024, () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`DOSSIER_URL=http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
