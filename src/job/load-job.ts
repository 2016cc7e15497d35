import { sampleData } from '../engine/providers/providers.ts';
import { formatPath } from './file/describe-issue.ts';
import { type FileKind, type Path, parseYamlFile, readText } from './file/read-yaml-file.ts';
import { Job, jobKeys } from './job-schema.ts';
import { type Environment, expandVariables, keyVariable } from './read-address.ts';

export interface LoadedJob {
  readonly job: Job;
  readonly path: string | undefined;
  readonly urlProblem?: string | undefined;
  /** `jobs/leads.yaml:12:13` */
  positionOf(path: Path): string | undefined;
}

const secrets =
  /^(?:service\.(?:key|share)|notify(?:\.url)?|heartbeat|output(?:\[\d+\])?\.postgres)$/;

const jobFile: FileKind<typeof Job> = {
  schema: Job,
  keys: jobKeys,
  isSecret: (path) => secrets.test(formatPath(path)),
};

export function loadJob(path: string, env: Environment): LoadedJob {
  return parseJob(path, readText(path), env);
}

export function parseJob(path: string, text: string, env: Environment): LoadedJob {
  let urlProblem: string | undefined;
  const { value, positionOf } = parseYamlFile(jobFile, path, text, (written, at) => {
    // Secrets are expanded later, so a loaded job never contains them.
    if (jobFile.isSecret(at)) return { text: written, isExpanded: false };
    const expansion = expandVariables(written, env);
    if (!expansion.problem) return expansion;
    const name = formatPath(at);
    // DOSSIER_API_KEY overrides the key file, so its path does not matter.
    if (name === 'service.keyFile' && env[keyVariable]) return { text: written, isExpanded: true };
    if (name !== 'service.url') return expansion;
    // Not an error yet, because a flag or variable may name the service. The message must not
    // suggest a default, which would hide a missing URL.
    urlProblem = expansion.problem.replace(/; set it, or write .*$/s, '');
    return { text: sampleData, isExpanded: true };
  });
  return { job: value, path, urlProblem, positionOf };
}
