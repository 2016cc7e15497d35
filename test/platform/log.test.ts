import { execFile, spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testIf } from '../support/needs.ts';

test.each(['', 'process.exit(0)'])(
  'lines that wait for each other are all written at the end: %s',
  async (ending) => {
    const log = join(import.meta.dirname, '../../src/platform/log.ts');
    const program = `
      import { createLog } from ${JSON.stringify(log)};
      const log = createLog({ format: 'text', isBuffered: true });
      for (let line = 0; line < 5000; line += 1) log.info({ line }, 'line.written');
      ${ending}`;
    const { stderr } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      program,
    ]);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(5_000);
    expect(lines.at(-1)).toMatch(/line\.written line=4999$/);
  },
);

testIf(existsSync('/dev/full'), 'there is no /dev/full')(
  'work goes on where its log cannot be written',
  () => {
    const log = join(import.meta.dirname, '../../src/platform/log.ts');
    const program = `
      import { createLog } from ${JSON.stringify(log)};
      const log = createLog({ format: 'json' });
      for (let line = 0; line < 100; line += 1) log.info({ line }, 'line.written');
      process.stdout.write('done');`;
    const { status, stdout } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')], encoding: 'utf8' },
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'done' });
  },
);
