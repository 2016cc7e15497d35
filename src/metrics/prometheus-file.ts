import { open, readFile, stat } from 'node:fs/promises';
import { writeFileAtomically } from '../runtime/files/atomic-file.ts';
import { jobLabel, prometheusName } from './metric-table.ts';
import { openPrometheusRegistry } from './prometheus-registry.ts';
import type { Exporter } from './recorder.ts';

/** Writes metrics to a file for node_exporter's textfile collector; each send replaces the file. */
export async function openPrometheusFile(path: string, job: string): Promise<Exporter> {
  const { record, text } = openPrometheusRegistry(job);
  const lastSuccess = await readLastSuccess(path, job);
  if (lastSuccess !== undefined) record('dossier.run.last_success.timestamp', lastSuccess, {});
  return {
    name: `the metrics file ${path}`,
    record,
    async send() {
      if (!(await isReplaceable(path))) {
        throw new Error(`${path} holds something else than metrics and is left as it is`);
      }
      await writeFileAtomically(path, await text());
    },
    close: async () => {},
  };
}

/** Only metrics and empty files are replaced, so that a wrong path destroys no ledger or list. */
async function isReplaceable(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) return true;
  if (!facts.isFile()) return false;
  const mark = Buffer.from('# HELP ');
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0);
  return bytesRead === 0 || buffer.equals(mark);
}

/** Reads the time of the last success from the present file, so that a failed run keeps it. */
async function readLastSuccess(path: string, job: string): Promise<number | undefined> {
  if (!(await isReplaceable(path))) return undefined;
  const text = await readFile(path, 'utf8').catch(() => '');
  const series = `${prometheusName('dossier.run.last_success.timestamp')}{${jobLabel}="${job}"} `;
  const line = text.split('\n').find((candidate) => candidate.startsWith(series));
  const seconds = Number(line?.slice(series.length));
  return Number.isFinite(seconds) ? seconds : undefined;
}
