import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import { checkLedger } from '../../src/engine/ledger/care/examine-ledger.ts';
import { domainOf, found, numberAsked } from '../journeys/sample-companies.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { brokenRelations } from '../support/ledger-relations.ts';
import { runDossier, startDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { faultCase } from './support/fault-case.ts';

const rows = 60;
const concurrency = 4;

/** `ours` has a third of the companies, `main` another third. Both are slow enough to be killed. */
const openOne = (share: number) =>
  openHostileServer(({ path }) => {
    const number = numberAsked(path);
    const body = { id: `c_${number}`, name: `Company ${number}`, fqdn: domainOf(number) };
    return { ...(number % 3 === share ? found(body) : missing), delayMs: 10 };
  });

const missing = {
  status: 404,
  headers: { 'content-type': 'application/problem+json' },
  body: JSON.stringify({ type: 'about:blank', title: 'Not Found', status: 404 }),
};

describe('a job with several services', () => {
  faultCase(
    'killed between a miss and the next question, and with other services at the next start',
    async (seed) => {
      using folder = temporaryFolder();
      await using ours = await openOne(0);
      await using main = await openOne(1);
      const cwd = folder.path;
      mkdirSync(join(cwd, '.git'));
      const write = (names: string, price: number) => {
        const at = { ours, main };
        const services = Object.entries(at).map(
          ([name, { url }]) =>
            `  ${name}: { url: "${url}", price: { company: ${price}, currency: AUD } }`,
        );
        writeFileSync(join(cwd, 'services.yaml'), ['services:', ...services].join('\n'));
        const job = `name: leads\ninput: { path: leads.csv }\nservice: [${names}]\nledger: ledger.db\n`;
        const limits = `limits: { rate: none, concurrency: ${concurrency} }\n`;
        writeFileSync(join(cwd, 'leads.yaml'), `${job}${limits}output: { path: output }\n`);
      };
      const sites = Array.from({ length: rows }, (_, number) => domainOf(number));
      writeFileSync(join(cwd, 'leads.csv'), ['website', ...sites].join('\n'));
      // Another order, another price and one service fewer are all another start of the same job.
      const starts = ['ours, main', 'main, ours', 'ours'];
      const kills = 1 + seed.random(3);
      for (let kill = 0; kill < kills; kill += 1) {
        write(starts[seed.random(starts.length)] ?? '', kill);
        const before = ours.seen.length + main.seen.length;
        const after = seed.random(rows);
        await using running = startDossier(['run', 'leads.yaml'], { cwd });
        while (running.process.exitCode === null) {
          if (ours.seen.length + main.seen.length >= before + after) break;
          await delay(2);
        }
        await running.stop('SIGKILL');
      }
      write('ours, main', 1);
      const last = await runDossier(['run', 'leads.yaml'], { cwd });
      expect(last.exitCode, last.stderr).toBe(0);

      const text = readFileSync(join(cwd, 'output/companies.csv'));
      const companies = parse(text, { columns: true }) as { status: string }[];
      const ended = companies.map(({ status }) => status);
      const wanted = sites.map((_, number) => (number % 3 === 2 ? 'not_found' : 'matched'));
      expect(ended).toEqual(wanted);
      for (const { seen } of [ours, main]) {
        const answered = seen.filter(({ answeredAtMs }) => answeredAtMs !== undefined);
        const repeats = answered.length - new Set(answered.map(({ path }) => path)).size;
        expect(repeats).toBeLessThanOrEqual(kills * concurrency);
      }
      checkLedger(join(cwd, 'ledger.db'));
      const db = new Database(join(cwd, 'ledger.db'), { readonly: true });
      expect(brokenRelations(db)).toEqual([]);
      db.close();
    },
    { short: 2, long: 40 },
  );
});
