import { readFileSync } from 'node:fs';

/*
 * The health check of the container, which has no curl. It reads the command line of process 1:
 * `dossier serve` must answer; any other command is healthy as long as it runs.
 */
const command = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
if (command.includes('serve')) {
  const host = optionValue('--host') ?? '127.0.0.1';
  // A service that is bound to all addresses is reachable at this one.
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${address.includes(':') ? `[${address}]` : address}`;
  const answer = await fetch(`${url}:${optionValue('--port') ?? '8787'}/healthz`);
  process.exitCode = answer.ok ? 0 : 1;
}

/** `--port 80` and `--port=80` */
function optionValue(option: string): string | undefined {
  const at = command.lastIndexOf(option);
  if (at >= 0) return command[at + 1];
  return command.find((word) => word.startsWith(`${option}=`))?.slice(option.length + 1);
}
