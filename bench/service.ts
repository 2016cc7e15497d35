import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { generateLoad } from './harness/generate-load.ts';
import { measureProcess } from './harness/measured-process.ts';
import { benchKey, dossierMain } from './harness/programs.ts';
import { compare, median, takeTurns } from './harness/rounds.ts';
import { type ServerProcess, startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { answersOf, realisticCompanies } from './service/sample-lookups.ts';

const connections = 64;
const bareRoute = join(import.meta.dirname, 'service/bare-route.ts');

/** Compares lookups in the service with a bare route that sends the same bytes from memory. */
export async function run({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  using folder = temporaryFolder();
  const lines = realisticCompanies();
  const answers = answersOf(lines);
  const store = join(folder.path, 'store.db');
  const companies = join(folder.path, 'companies.jsonl');
  const answersPath = join(folder.path, 'answers.json');
  const logPath = join(folder.path, 'service.log');
  writeFileSync(companies, `${lines.join('\n')}\n`);
  writeFileSync(answersPath, JSON.stringify([...answers]));
  await measureProcess([dossierMain, 'load', companies, '--store', store, '--strict']);

  await using service = await startServer([dossierMain, 'serve', '--port', '0', '--store', store], {
    logPath,
    env: { DOSSIER_SERVICE_KEYS: benchKey },
  });
  await using bare = await startServer([bareRoute, answersPath], {
    logPath: join(folder.path, 'bare.log'),
  });
  tell(`checking ${answers.size} lookups on both sides`);
  for (const server of [service, bare]) await checkAnswers(server.url, answers);

  const planned = [...answers].map(([path, body]) => ({
    bytes: Buffer.from(
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${benchKey}\r\n\r\n`,
    ),
    bodyBytes: Buffer.byteLength(body),
  }));
  let answered = answers.size;
  const loadOf = async (server: ServerProcess, limit: Parameters<typeof generateLoad>[3]) => {
    const cpuBefore = server.cpuSeconds();
    const load = await generateLoad(server.url, planned, connections, limit);
    if (server === service) answered += load.requests;
    return { ...load, cpuUs: ((server.cpuSeconds() - cpuBefore) * 1e6) / load.requests };
  };
  // Warm-up: the compiler stops optimising after some ten thousand requests.
  const requests = isSmall ? 3_000 : 30_000;
  for (const server of [service, bare]) await loadOf(server, { requests });
  const durationMs = isSmall ? 400 : 1_000;
  tell(`${connections} connections, ${durationMs} ms for each side and round`);
  const rounds = await takeTurns(isSmall ? 5 : 15, {
    measured: () => loadOf(service, { durationMs }),
    ceiling: () => loadOf(bare, { durationMs }),
  });
  await service.stop();
  checkLog(readFileSync(logPath, 'utf8'), answered);
  const generatorBusy = median(rounds.map(({ ceiling }) => ceiling.generatorBusy));
  return [
    {
      name: 'lookups through the service / bare route, same bytes',
      unit: 'requests/s',
      ...compare(rounds, ({ perSecond }) => perSecond),
      goal: { atLeast: 0.4 },
      notes: [`the generator was busy ${Math.round(100 * generatorBusy)}% beside the bare route`],
    },
    {
      // CPU time of all threads does not depend on other work of the machine.
      name: 'the same for each second of CPU that the server took',
      unit: 'requests/CPU s',
      ...compare(rounds, ({ cpuUs }) => 1e6 / cpuUs),
    },
  ];
}

async function checkAnswers(url: string, answers: ReadonlyMap<string, string>): Promise<void> {
  const headers = { authorization: `Bearer ${benchKey}` };
  for (const [path, body] of answers) {
    const answer = await fetch(url + path, { headers });
    if ((await answer.text()) !== body) throw new Error(`${url}${path} brings another body`);
  }
}

/** Checks that the service has logged every request: without its log it would be faster. */
function checkLog(log: string, answered: number): void {
  const lines = log.split('\n').filter((line) => line.includes('request.answered')).length;
  if (lines !== answered) throw new Error(`${lines} lines in the log for ${answered} requests`);
}
