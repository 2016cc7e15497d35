import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesOf } from './changelog.ts';
import type { Problem } from './problem.ts';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository?: unknown;
}

/** What the lock repeats of package.json; npm refuses to install where they differ. */
const lockedFields = ['name', 'version', 'dependencies', 'devDependencies', 'engines'] as const;

/** Everything in the checkout that speaks against a release under this tag. */
export function findReleaseProblems(root: string, tag: string): Problem[] {
  const manifest = readManifest(root);
  return [
    ...findTagProblems(root, tag, manifest),
    ...findTreeProblems(root),
    ...findNotesProblems(root, manifest),
    ...findLockProblems(root, manifest),
  ];
}

export function readManifest(root: string): Manifest & Record<string, unknown> {
  return readJson(join(root, 'package.json')) as Manifest & Record<string, unknown>;
}

/** The tag of a version at the checked-out commit. */
export function tagAtHead(root: string): string | undefined {
  return git(root, 'tag', '--points-at', 'HEAD', '--list', 'v*').split('\n').find(Boolean);
}

export function isTag(root: string, tag: string): boolean {
  return git(root, 'tag', '--list', tag) !== '';
}

function findTagProblems(root: string, tag: string, { version }: Manifest): Problem[] {
  const problems: Problem[] = [];
  if (tag !== `v${version}`) {
    const wanted = tag.replace(/^v/, '');
    problems.push({
      what: `The tag is ${tag}, but package.json says ${version}.`,
      remedy: `Run \`npm version ${wanted} --no-git-tag-version\`, commit, and tag that commit.`,
    });
  }
  if (
    isTag(root, tag) &&
    git(root, 'rev-parse', `${tag}^{commit}`) !== git(root, 'rev-parse', 'HEAD')
  ) {
    problems.push({
      what: `${tag} is the tag of another commit than the one checked out.`,
      remedy: `Run \`git switch --detach ${tag}\`, or give this commit a version of its own.`,
    });
  }
  return problems;
}

function findTreeProblems(root: string): Problem[] {
  const changed = git(root, 'status', '--porcelain').split('\n').filter(Boolean);
  if (changed.length === 0) return [];
  return [
    {
      what: `The checkout differs from its commit: ${changed.map((line) => line.trim()).join(', ')}.`,
      remedy: 'Commit or remove these changes; what is published is what the tag names.',
    },
  ];
}

function findNotesProblems(root: string, { version }: Manifest): Problem[] {
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (notes) return [];
  return [
    notes === undefined
      ? {
          what: `CHANGELOG.md has no section for ${version}.`,
          remedy: `Put "## ${version} - <date>" below "## Unreleased", above what this version brings.`,
        }
      : {
          what: `The section for ${version} in CHANGELOG.md is empty.`,
          remedy: 'Say in it what changes for the people who use Dossier.',
        },
  ];
}

function findLockProblems(root: string, manifest: Record<string, unknown>): Problem[] {
  const lock = readJson(join(root, 'package-lock.json')) as {
    packages: Record<string, Record<string, unknown>>;
  };
  const differing = lockedFields.filter(
    (field) => !isSame(lock.packages['']?.[field], manifest[field]),
  );
  if (differing.length === 0) return [];
  return [
    {
      what: `package-lock.json is out of step with package.json: ${differing.join(', ')}.`,
      remedy: 'Run `npm install --package-lock-only` and commit the lock.',
    },
  ];
}

/** The order of names says nothing. */
function isSame(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}
