import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Finished } from '../run-dossier.ts';

/** `node ask-warm.ts PORT COMMAND …`: a plan comes from the warm process of a worker, all else runs here. */
const [port, ...args] = process.argv.slice(2);
if (args[0] === 'plan' || args.includes('--dry-run')) {
  const worker = connect(Number(port), '127.0.0.1');
  await once(worker, 'connect');
  worker.end(JSON.stringify(args));
  const { exitCode, stdout, stderr } = JSON.parse(await text(worker)) as Finished;
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exitCode ?? 1;
} else {
  process.argv.splice(2, 1);
  await import('../../../src/main.ts');
}
