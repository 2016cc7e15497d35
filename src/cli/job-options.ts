import type { Argv } from 'yargs';
import type { JobFlags } from '../job/job-flags.ts';
import { isJobPath, jobForFile } from '../job/job-for-file.ts';
import { loadJob } from '../job/load-job.ts';
import { type ResolvedJob, resolveJob } from '../job/resolve-job.ts';
import { severalTexts, singleText } from './options.ts';

/** The flags that override a job, as yargs gives them. */
export interface JobArguments {
  input: string | undefined;
  output: string | undefined;
  ledger: string | undefined;
  url: string | undefined;
  'key-file': string | undefined;
  rate: string | undefined;
  concurrency: string | undefined;
  'max-calls': string | undefined;
  limit: string | undefined;
  format: string[] | undefined;
}

/** An option that takes one value. */
export const once = (option: string, describe: string) =>
  ({ requiresArg: true, coerce: singleText(option), describe }) as const;

/** Flags come before the environment, that before the job file, then defaults. */
export function withJobOptions<Before>(args: Argv<Before>) {
  return args
    .option('input', once('input', 'Read this list instead; - is standard input'))
    .option('output', once('output', 'Folder to write to'))
    .option('ledger', once('ledger', 'SQLite file that remembers answers'))
    .option('url', once('url', 'Address of the service, or embedded for the sample data'))
    .option('key-file', once('key-file', 'File that holds the key'))
    .option('rate', once('rate', 'Requests a second, or none'))
    .option('concurrency', once('concurrency', 'Calls under way at once'))
    .option('max-calls', once('max-calls', 'Stop after this many calls; run again to go on'))
    .option('limit', once('limit', 'Only the first rows, this many'))
    .option('format', {
      requiresArg: true,
      coerce: severalTexts('format'),
      describe: 'csv, jsonl or parquet; may be repeated',
    });
}

/** A job file, or a bare list of companies, with every question settled. */
export function openJob(
  path: string,
  args: Partial<JobArguments> & { keyFile?: string | undefined; maxCalls?: string | undefined },
): ResolvedJob {
  const { input, output, ledger, url, keyFile, rate, concurrency, maxCalls, limit, format } = args;
  const flags: JobFlags = {
    ...{ input, output, ledger, url, keyFile, rate, concurrency, maxCalls, limit, format },
  };
  const { env } = process;
  const loaded = isJobPath(path) ? loadJob(path, { env }) : jobForFile(path, {});
  return resolveJob(loaded, { flags, env, cwd: process.cwd() });
}
