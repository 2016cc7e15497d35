import { Agent, type Dispatcher } from 'undici';
import { siteDomain } from './sample-sites.ts';

/*
 * The ceiling of a run: requests through undici alone, whose answers are counted and thrown away.
 * `bare-loop.ts <url> <requests> <connections>` prints the time that it took.
 */
const [url = '', requests = '0', connections = '1'] = process.argv.slice(2);
const agent = new Agent({ connections: Number(connections), pipelining: 1 });
const headers = {
  authorization: 'Bearer key-of-the-bench',
  accept: 'application/json',
  'user-agent': 'dossier',
};
let next = 0;
let bytes = 0;

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: (_controller, status) => {
        if (status !== 200) reject(new Error(`HTTP ${status}`));
      },
      onResponseData: (_controller, chunk) => {
        bytes += chunk.length;
      },
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    };
    const path = `/company?fqdn=${siteDomain(next)}&country=AU`;
    next += 1;
    agent.dispatch({ origin: url, path, method: 'GET', headers }, handler);
  });
}

async function converse(): Promise<void> {
  while (next < Number(requests)) await ask();
}

const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, converse));
const seconds = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
if (bytes === 0) throw new Error('no answer had a body');
process.stdout.write(`${JSON.stringify({ seconds, cpuSeconds: (user + system) / 1_000_000 })}\n`);
await agent.close();
