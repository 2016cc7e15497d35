import { readFileSync } from 'node:fs';

/*
 * The health check of the container, which has no curl. It reads the command line of process 1:
 * `dossier serve` and `dossier worker` must answer; any other command is healthy as long as it runs.
 */
const defaultPorts: Readonly<Record<string, string>> = { serve: '8787', worker: '9464' };

const command = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
const defaultPort = command.map((word) => defaultPorts[word]).find(Boolean);
// A worker without a port is healthy as long as it runs.
if (defaultPort !== undefined && !command.includes('--no-port')) {
  const host = optionValue('--host') ?? '127.0.0.1';
  // A service that is bound to all addresses is reachable at this one.
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${address.includes(':') ? `[${address}]` : address}`;
  const answer = await fetch(`${url}:${optionValue('--port') ?? defaultPort}/healthz`);
  process.exitCode = answer.ok ? 0 : 1;
}

/** `--port 80` and `--port=80` */
function optionValue(option: string): string | undefined {
  const at = command.lastIndexOf(option);
  if (at >= 0) return command[at + 1];
  return command.find((word) => word.startsWith(`${option}=`))?.slice(option.length + 1);
}
