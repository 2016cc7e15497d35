import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { packagePath } from '../../src/platform/package-path.ts';
import { testWhere } from '../support/needs.ts';
import { validateWorkflow } from '../support/validate-workflow.ts';

const workflows = filesIn('.github/workflows');
const forms = filesIn('.github/ISSUE_TEMPLATE').filter((path) => !path.endsWith('config.yml'));

test('there are workflows and forms at all', () => {
  expect(workflows.map((path) => basename(path))).toEqual(['ci.yml', 'nightly.yml', 'release.yml']);
  expect(forms).toEqual(['.github/ISSUE_TEMPLATE/bug.yml', '.github/ISSUE_TEMPLATE/idea.yml']);
});

describe.each(workflows)('%s', (path) => {
  const text = read(path);

  test('is a workflow that GitHub understands', async () => {
    expect(await validateWorkflow(path, text)).toEqual([]);
  });

  test('pins each action of others to a commit and says which version that is', () => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, name = '']) => name);
    const others = used.filter((name) => !name.startsWith('./'));
    expect(others.length).toBeGreaterThan(0);
    for (const name of others) expect(name).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const name of used) {
      if (name.startsWith('./')) expect(existsSync(packagePath(name))).toBe(true);
    }
  });

  test('says which rights it has and which runs it replaces', () => {
    const workflow = parse(path) as { permissions: Record<string, string>; concurrency: unknown };
    expect(Object.values(workflow.permissions ?? { all: 'write' })).not.toContain('write');
    expect(workflow.concurrency).toBeDefined();
  });

  test('leaves no token behind and puts no text of others into a shell', () => {
    const checkouts = text.split('actions/checkout@').length - 1;
    expect(text.split('persist-credentials: false').length - 1).toBe(checkouts);
    for (const command of commandsOf(path)) expect(command).not.toContain('${{');
  });

  testWhere('bash')('has commands that a shell can read', () => {
    for (const command of commandsOf(path)) execFileSync('bash', ['-n', '-c', command]);
  });
});

test('every npm script that workflows and documents name exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const texts = [...workflows, '.ci/run', '.ci/check', '.github/pull_request_template.md'];
  for (const path of [...texts, 'CONTRIBUTING.md', 'README.md']) {
    for (const [, name = ''] of read(path).matchAll(/npm run (?:-s |--silent )?([a-z][\w:]*)/g)) {
      // npm brings `env` along.
      if (name !== 'env') expect(Object.keys(scripts), path).toContain(name);
    }
    for (const [script] of read(path).matchAll(/(?<=\s|^)\.ci\/\w+/gm)) {
      accessSync(packagePath(script), constants.X_OK);
    }
  }
});

function commandsOf(path: string): string[] {
  const { jobs } = parse(path) as { jobs: Record<string, { steps?: { run?: string }[] }> };
  return Object.values(jobs)
    .flatMap(({ steps = [] }) => steps)
    .flatMap(({ run }) => run ?? []);
}

function filesIn(folder: string): string[] {
  return readdirSync(packagePath(folder))
    .sort()
    .map((name) => join(folder, name));
}

function read(path: string): string {
  return readFileSync(packagePath(path), 'utf8');
}

/** Parses strictly: a duplicate key is an error. */
function parse(path: string): unknown {
  const document = parseDocument(read(path), { uniqueKeys: true });
  expect([...document.errors, ...document.warnings], path).toEqual([]);
  return document.toJS();
}
