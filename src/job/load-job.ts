import { readFileSync } from 'node:fs';
import { DossierError } from '../errors.ts';
import { describeIssue, formatPath } from './describe-issue.ts';
import { type Environment, expandVariables } from './expand-variables.ts';
import { Job } from './job-schema.ts';
import { looksLikeData } from './looks-like-data.ts';
import { type Path, type Problem, readYaml, type YamlFile } from './read-yaml.ts';
import { isAcceptedAt, replaceAt, unquoted, valueAt } from './repair.ts';

export interface LoadedJob {
  readonly job: Job;
  /** The job file; undefined when the job was made for a bare data file. */
  readonly path: string | undefined;
  /** Where a part of the job stands, for messages: `jobs/leads.yaml:12:13`. */
  placeOf(path: Path): string | undefined;
}

/** More than this is not written by hand. */
const maxFileBytes = 256 * 1024;

/** Nobody reads further before the first ones are fixed. */
const maxProblems = 50;

/** Reads and checks a job file. Every problem is reported at once, each with its line. */
export function loadJob(path: string, { env }: { env: Environment }): LoadedJob {
  const text = readText(path);
  const file = readYaml(text, (written, at) =>
    // The key is read when it is needed, so that no job in memory holds it.
    isKey(at) ? { text: written, isExpanded: false } : expandVariables(written, env),
  );
  const value = settleVariables(file);
  refuseOtherFiles(path, text, file);

  const result = Job.safeParse(value);
  const issues = file.isBroken ? [] : (result.error?.issues ?? []);
  const described = issues.values().flatMap((issue) => describeIssue(issue, file));
  const problems = [...file.problems, ...described.take(maxProblems)];
  if (!result.success || problems.length > 0) throw invalid(path, problems, file);
  return {
    job: result.data,
    path,
    placeOf: (part) => {
      const written = file.writtenAt(part);
      return written && placeText(path, written.valueOffset, file);
    },
  };
}

function readText(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > maxFileBytes || bytes.includes(0)) throw notAJob(path);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof DossierError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = {
      ENOENT: 'does not exist; `dossier init` drafts a job from a list',
      EACCES: 'may not be read by this user',
      EISDIR: 'is a folder, not a job file',
      ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text; save it as UTF-8',
    };
    const reason = reasons[code ?? ''] ?? 'cannot be read';
    throw new DossierError('JOB_INVALID', `${path} ${reason}`, { cause: error });
  }
}

/** A variable always holds text; `rate: ${RATE}` means the number all the same. */
function settleVariables(file: YamlFile): unknown {
  const result = Job.safeParse(file.value);
  let value = file.value;
  for (const { path } of result.error?.issues ?? []) {
    const found = valueAt(file.value, path);
    if (!file.writtenAt(path)?.isExpanded || typeof found !== 'string') continue;
    const meant = unquoted(found);
    if (meant !== undefined && isAcceptedAt(value, path, meant)) {
      value = replaceAt(value, path, meant);
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

function isKey([group, field]: Path): boolean {
  return group === 'service' && field === 'key';
}
