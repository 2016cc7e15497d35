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

test.each(forms)('%s is a form that GitHub shows', (path) => {
  interface Element {
    readonly type: string;
    readonly id?: string;
    readonly attributes: { readonly label?: string };
  }
  const form = parse(path) as { readonly body: readonly Element[] };
  expect(Object.keys(form)).toEqual(['name', 'description', 'labels', 'body']);
  const asked = form.body.filter(({ type }) => type !== 'markdown');
  expect(asked.length).toBeGreaterThan(0);
  for (const { type } of asked) expect(['input', 'textarea', 'checkboxes']).toContain(type);
  for (const names of [
    asked.map(({ id }) => id),
    asked.map(({ attributes }) => attributes.label),
  ]) {
    expect(names).not.toContain(undefined);
    expect(new Set(names).size).toBe(names.length);
  }
});

test('a report of a bug has what is needed to follow it, and warns of keys', () => {
  const text = read('.github/ISSUE_TEMPLATE/bug.yml');
  for (const wanted of ['dossier --version', 'dossier check', 'exit code', 'Never paste a key']) {
    expect(text).toContain(wanted);
  }
});

test('weaknesses are led to SECURITY.md instead of an issue', () => {
  expect(parse('.github/ISSUE_TEMPLATE/config.yml')).toMatchObject({
    blank_issues_enabled: false,
    contact_links: [{ about: expect.stringContaining('SECURITY.md') }],
  });
});

test('Dependabot looks after packages, actions and the base of the image', () => {
  const updates = ['npm', 'github-actions', 'docker'].map((name) => ({
    'package-ecosystem': name,
  }));
  expect(parse('.github/dependabot.yml')).toMatchObject({ version: 2, updates });
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
