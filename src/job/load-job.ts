import { readFileSync } from 'node:fs';
import { DossierError } from '../errors.ts';
import { outsideFailure } from '../runtime/outside-failures.ts';
import { sampleData } from '../runtime/sample-data.ts';
import {
  deepIssues,
  describeIssue,
  formatPath,
  isAcceptedAt,
  isSecret,
  replaceAt,
  unquoted,
  valueAt,
} from './file/describe-issue.ts';
import { type Environment, expandVariables } from './file/expand-variables.ts';
import { type Path, type Problem, readYaml, type YamlFile } from './file/read-yaml.ts';
import { Job } from './job-schema.ts';

export interface LoadedJob {
  readonly job: Job;
  /** The job file; undefined when the job was made from a list. */
  readonly path: string | undefined;
  /** Why `service.url` names no service: its variable is not set. */
  readonly urlProblem?: string | undefined;
  /** File, line and column of a part of the job, for messages: `jobs/leads.yaml:12:13`. */
  placeOf(path: Path): string | undefined;
}

/** A larger file is no job: jobs are written by hand. */
const maxFileBytes = 256 * 1024;

/** More problems than this are not reported: the first ones have to be fixed anyway. */
const maxProblems = 50;

/** Reads and checks a job file. All problems are reported together, each with its line. */
export function loadJob(path: string, env: Environment): LoadedJob {
  return parseJob(path, readText(path), env);
}

/** The same for the text of a job file, as it is or would be written to `path`. */
export function parseJob(path: string, text: string, env: Environment): LoadedJob {
  let urlProblem: string | undefined;
  const file = readYaml(text, (written, at) => {
    // Secrets stay unexpanded: they are read when they are needed, and no job holds them.
    if (isSecret(at)) return { text: written, isExpanded: false };
    const expansion = expandVariables(written, env);
    if (!('problem' in expansion) || formatPath(at) !== 'service.url') return expansion;
    // The service may be named elsewhere, and a default for its address would hide that it is not.
    urlProblem = expansion.problem.replace(/; set it, or write .*$/s, '');
    return { text: sampleData, isExpanded: true };
  });
  const value = convertVariables(file);
  refuseOtherFiles(path, text, file);

  const result = Job.safeParse(value);
  const issues = file.isBroken ? [] : (result.error?.issues ?? []);
  const described = issues.values().flatMap((issue) => describeIssue(issue, file));
  const problems = [...file.problems, ...described.take(maxProblems)];
  if (!result.success || problems.length > 0) throw invalid(path, problems, file);
  return {
    job: result.data,
    path,
    urlProblem,
    placeOf: (part) => {
      const written = file.writtenAt(part);
      return written && placeText(path, written.valueOffset, file);
    },
  };
}

/** The text of a job file. */
export function readText(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > maxFileBytes || bytes.includes(0)) throw notAJob(path);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw outsideFailure('job file', path, error);
  }
}

/** A variable holds text. In `rate: ${RATE}` it is converted, because the field takes a number. */
function convertVariables(file: YamlFile): unknown {
  const result = Job.safeParse(file.value);
  let value = file.value;
  for (const { path } of (result.error?.issues ?? []).flatMap(deepIssues)) {
    const found = valueAt(file.value, path);
    if (!file.writtenAt(path)?.isExpanded || typeof found !== 'string') continue;
    const converted = unquoted(found);
    if (converted !== undefined && isAcceptedAt(value, path, converted)) {
      value = replaceAt(value, path, converted);
    }
  }
  return value;
}

function refuseOtherFiles(path: string, text: string, file: YamlFile): void {
  if (text.replace(/^\s*#.*$/gm, '').trim() === '') {
    throw new DossierError('JOB_INVALID', `${path}:1:1: this file is empty`);
  }
  if ((!file.isMapping || file.isBroken) && looksLikeData(text)) throw notAJob(path);
}

/**
 * Whether a file that is no job is a list: lines with delimiters, or JSON lines. Users mix up the
 * two arguments, and every line of a list would be a problem of its YAML.
 */
function looksLikeData(text: string): boolean {
  const lines = text.split(/\r?\n/, 20).filter((line) => line.trim() !== '');
  if (lines.some((line) => /^(#|---|%)|^[\w-]+:(\s|$)/.test(line))) return false;
  if (lines[0]?.startsWith('{')) {
    return lines.length > 1 && lines.every((line) => /^\{.*\}$/.test(line.trim()));
  }
  return lines.some((line) => /[,;\t|]/.test(line)) || lines.length > 1;
}

function notAJob(path: string): DossierError {
  return new DossierError(
    'JOB_INVALID',
    `${path}:1:1: this looks like data, not a job file; \`dossier init\` drafts a job for a data file`,
  );
}

function invalid(path: string, problems: readonly Problem[], file: YamlFile): DossierError {
  const inOrder = problems
    .toSorted((one, other) => one.offset - other.offset)
    .slice(0, maxProblems);
  const lines = new Set(
    inOrder.map(({ offset, path: part, text }) =>
      [placeText(path, offset, file), formatPath(part), text].filter(Boolean).join(': '),
    ),
  );
  const least = lines.size < maxProblems ? '' : 'at least ';
  const count = lines.size === 1 ? 'one problem' : `${least}${lines.size} problems`;
  return new DossierError('JOB_INVALID', [`${path} has ${count}`, ...lines].join('\n'));
}

function placeText(path: string, offset: number, file: YamlFile): string {
  const { line, column } = file.position(offset);
  return `${path}:${line}:${column}`;
}
