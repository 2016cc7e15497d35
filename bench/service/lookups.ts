import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchOptions, Figure } from '../harness/bench.ts';
import { generateLoad, type LoadResult } from '../harness/generate-load.ts';
import { compare, interleave, median, type Round } from '../harness/rounds.ts';
import { type ServerProcess, startServer } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { planLookup, shuffled } from './company-lookups.ts';
import { benchKey, dossierMain, loadStore } from './dossier-command.ts';
import { answersOf, realisticCompanies } from './realistic-companies.ts';

const connections = 64;
const bareRoute = fileURLToPath(import.meta.resolve('./bare-route.ts'));

interface Slice extends LoadResult {
  serverBusy: number;
  serverUsPerRequest: number;
}

/** Compares lookups in the service with a bare route that sends the same bytes from memory. */
export async function measureLookups({ isSmall, tell }: BenchOptions): Promise<Figure[]> {
  using folder = temporaryFolder();
  const lines = realisticCompanies();
  const answers = answersOf(lines);
  const store = join(folder.path, 'store.db');
  const companies = join(folder.path, 'companies.jsonl');
  const answersPath = join(folder.path, 'answers.json');
  const logPath = join(folder.path, 'service.log');
  writeFileSync(companies, `${lines.join('\n')}\n`);
  writeFileSync(answersPath, JSON.stringify([...answers]));
  await loadStore(companies, store);

  await using service = await startServer([dossierMain, 'serve', '--port', '0', '--store', store], {
    logPath,
    env: { DOSSIER_SERVICE_KEYS: benchKey },
  });
  await using bare = await startServer([bareRoute, answersPath], {
    logPath: join(folder.path, 'bare.log'),
  });
  tell(`checking ${answers.size} lookups on both sides`);
  for (const server of [service, bare]) await checkAnswers(server.url, answers);

  const planned = shuffled(
    [...answers].map(([path, body]) => planLookup(path, Buffer.byteLength(body), benchKey)),
  );
  const durationMs = isSmall ? 400 : 1_000;
  let answered = answers.size;
  const slice = async (server: ServerProcess): Promise<Slice> => {
    const cpuBefore = server.cpuSeconds();
    const load = await generateLoad(server.url, planned, { connections, durationMs });
    const cpuSeconds = server.cpuSeconds() - cpuBefore;
    if (server === service) answered += load.requests;
    return {
      ...load,
      serverBusy: (cpuSeconds * load.perSecond) / load.requests,
      serverUsPerRequest: (cpuSeconds * 1e6) / load.requests,
    };
  };
  // Warm-up: the compiler stops optimising after some ten thousand requests.
  for (const server of [service, bare]) {
    const requests = isSmall ? 3_000 : 30_000;
    const warmUp = await generateLoad(server.url, planned, { connections, requests });
    if (server === service) answered += warmUp.requests;
  }
  tell(`${connections} connections, ${durationMs} ms for each side and round`);
  const count = isSmall ? 5 : 15;
  const rounds = await interleave(count, {
    measured: () => slice(service),
    ceiling: () => slice(bare),
  });
  await service.stop();
  checkLog(readFileSync(logPath, 'utf8'), answered);
  return [
    {
      name: 'lookups through the service / bare route, same bytes',
      unit: 'requests/s',
      ...compare(rounds, ({ perSecond }) => perSecond),
      goal: { atLeast: 0.4 },
      notes: [describeSide('service', rounds, 'measured'), describeSide('bare', rounds, 'ceiling')],
    },
    {
      // CPU time of all threads does not depend on other work of the machine.
      name: 'the same for each second of CPU that the server took',
      unit: 'requests/CPU s',
      ...compare(rounds, ({ serverUsPerRequest }) => 1e6 / serverUsPerRequest),
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

function describeSide(
  name: string,
  rounds: readonly Round<Slice>[],
  side: 'measured' | 'ceiling',
): string {
  const of = (numberOf: (slice: Slice) => number) => median(rounds.map((r) => numberOf(r[side])));
  const server = of(({ serverBusy }) => serverBusy);
  const generator = of(({ generatorBusy }) => generatorBusy);
  const cost = of(({ serverUsPerRequest }) => serverUsPerRequest).toFixed(1);
  const verdict = generator > 0.95 && generator > server ? ': THE GENERATOR IS THE BOTTLENECK' : '';
  return `${name}: ${cost} µs of CPU a request, server busy ${percent(server)}, generator ${percent(generator)}${verdict}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
