import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { notesOf } from './release/changelog.ts';
import { findReleaseProblems, isTag, readManifest, tagAtHead } from './release/check-release.ts';
import { findPackageProblems } from './release/packed-files.ts';
import { listProblems, type Problem } from './release/problem.ts';
import {
  findPublishProblems,
  lookUpVersion,
  publish,
  repositoryProblem,
} from './release/publish.ts';

const help = `Publishes the checked-out version to npm, after making sure that it is ready.

  npm run release -- --dry-run         does everything but publish
  npm run release -- --check           looks at tag, checkout, changelog and lock only
  npm run -s release -- --notes 0.2.0  prints what the changelog says of a version
  npm run release                      publishes; only in the release workflow

  --tag v0.2.0   the tag to release; without it, the tag of the checked-out commit

Exit codes: 0 done, 64 wrong command line, 65 not ready, 69 npm did not take it.
`;

/** Exit codes with the same meaning as those of the `dossier` command. */
const exitCodes = { done: 0, usage: 64, notReady: 65, refused: 69 } as const;

const failedBuild: Problem = {
  what: 'The package cannot be built; what the build said stands above.',
  remedy: 'Run `npm run build` until it passes.',
};

const root = process.cwd();
process.exitCode = main();

function main(): number {
  const options = readOptions();
  if (typeof options === 'string') {
    process.stderr.write(`release: ${options}\n\n${help}`);
    return exitCodes.usage;
  }
  if (options.help) {
    process.stdout.write(help);
    return exitCodes.done;
  }
  if (options.notes !== undefined) return printNotes(options.notes);

  const manifest = readManifest(root);
  const isRehearsal = options['dry-run'] || options.check;
  const tag = options.tag ?? tagAtHead(root) ?? (isRehearsal ? `v${manifest.version}` : undefined);
  if (!tag) {
    return refuse('This commit', [
      {
        what: 'It has no tag of a version.',
        remedy: `Run \`git tag v${manifest.version}\`, or rehearse with \`--dry-run\`.`,
      },
    ]);
  }
  const problems = findReleaseProblems(root, tag);
  if (!isRehearsal) {
    if (!isTag(root, tag)) problems.push(missingTag(tag));
    problems.push(...findPublishProblems(manifest, process.env));
  }
  if (problems.length > 0) return refuse(tag, problems);
  say(`Tag, checkout, changelog and lock of ${tag} fit together.`);
  if (options.check) return exitCodes.done;

  const title = `${manifest.name} ${manifest.version}`;
  const found = options['dry-run'] ? 'absent' : lookUpVersion(root, manifest);
  if (found === 'published') {
    say(`${title} is published already.`);
    return exitCodes.done;
  }
  if (found === 'unknown') return refuseByNpm();
  const build = spawnSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' });
  const packageProblems = build.status === 0 ? findPackageProblems(root) : [failedBuild];
  if (packageProblems.length > 0) return refuse(tag, packageProblems);
  say('The package is built and holds what it should.');

  if (options['dry-run']) {
    if (!manifest.repository) say(`Before the real one: ${repositoryProblem.what}`);
    say(`Dry run: ${title} is ready; nothing was published.`);
    return exitCodes.done;
  }
  if (!publish(root, manifest)) return refuseByNpm();
  say(`${title} is published.`);
  return exitCodes.done;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        notes: { type: 'string' },
        tag: { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Takes a version or its tag, because workflows know only the tag. */
function printNotes(versionOrTag: string): number {
  const version = versionOrTag.replace(/^v/, '');
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (notes) {
    process.stdout.write(`${notes}\n`);
    return exitCodes.done;
  }
  process.stderr.write(
    `release: CHANGELOG.md says nothing of ${version}.\n` +
      'Name a version that has a section with something below it.\n',
  );
  return exitCodes.notReady;
}

function missingTag(tag: string): Problem {
  return {
    what: `There is no tag ${tag}.`,
    remedy: `Run \`git tag ${tag}\` on the commit to release, and push it.`,
  };
}

function refuse(what: string, problems: readonly Problem[]): number {
  process.stderr.write(
    `release: ${what} is not ready; nothing was published.\n\n${listProblems(problems)}`,
  );
  return exitCodes.notReady;
}

function refuseByNpm(): number {
  process.stderr.write(
    'release: npm did not take the package; what it said stands above.\n' +
      'Fix that and start the workflow again: what is done already is not done twice.\n',
  );
  return exitCodes.refused;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
