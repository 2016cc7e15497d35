import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';

test.each([
  [
    'postgres',
    '^pg',
    'postgres needs packages that are not installed: npm install pg pg-copy-streams',
  ],
  [
    'service.share',
    '^bullmq',
    'service.share needs a package that is not installed: npm install bullmq',
  ],
])(
  'the message names the package that %s needs if %s is not installed',
  (forWhat, missing, sentence) => {
    const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (new RegExp(process.argv[2]).test(name)) throw new Error('not found');
      return next(name, context);
    } });
    const { requirePackages } = await import(process.argv[1]);
    try { requirePackages(process.argv[3]); } catch ({ code, message }) { console.log(code, message); }`;
    const module = packagePath('src/platform/optional-packages.ts');
    const args = ['--input-type=module', '-e', script, module, missing, forWhat];
    const said = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(said).toBe(`PACKAGE_MISSING ${sentence}\n`);
  },
);
