import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** `node ask-warm.ts PORT COMMAND …`: a plan comes from the warm process of a worker, all else runs here. */
const [port, ...args] = process.argv.slice(2);
if (args[0] === 'plan' || args.includes('--dry-run')) {
  const worker = connect(Number(port), '127.0.0.1');
  worker.end(JSON.stringify(args));
  const { exitCode, stdout } = JSON.parse(await text(worker));
  process.stdout.write(stdout);
  process.exitCode = exitCode;
} else {
  process.argv.splice(2, 1);
  await import('../../../src/main.ts');
}
