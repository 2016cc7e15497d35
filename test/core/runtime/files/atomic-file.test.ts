import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  openAtomicFile,
  outputTrouble,
  removeLeftovers,
  writeFileAtomically,
} from '../../../../src/core/runtime/files/atomic-file.ts';
import { packagePath } from '../../../../src/core/runtime/package-path.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('the old file stays until the new one is published whole', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'a.txt');
  writeFileSync(path, 'old');

  const file = await openAtomicFile(path);
  await file.write(Buffer.from('new '));
  await file.write(Buffer.from('text'));
  const facts = await file.seal();
  expect(readFileSync(path, 'utf8')).toBe('old');

  await file.publish();
  expect(readFileSync(path, 'utf8')).toBe('new text');
  expect(facts).toEqual({ bytes: 8, sha256: sha256('new text') });
  expect(readdirSync(folder.path)).toEqual(['a.txt']);
});

test('what is discarded leaves nothing behind, and the old file as it was', async () => {
  using folder = temporaryFolder();
  await writeFileAtomically(join(folder.path, 'a.txt'), 'old');
  const file = await openAtomicFile(join(folder.path, 'a.txt'));
  await file.write(Buffer.from('half'));
  await file.discard();
  expect(readdirSync(folder.path)).toEqual(['a.txt']);
  expect(readFileSync(join(folder.path, 'a.txt'), 'utf8')).toBe('old');
});

test('whoever discards a file waits until it is gone, also when another does so, too', async () => {
  using folder = temporaryFolder();
  const file = await openAtomicFile(join(folder.path, 'a.txt'));
  const left = async () => {
    await file.discard();
    return readdirSync(folder.path);
  };
  expect(await Promise.all([left(), left()])).toEqual([[], []]);
});

test('discarding after publishing keeps the published file', async () => {
  using folder = temporaryFolder();
  const file = await openAtomicFile(join(folder.path, 'a.txt'));
  await file.seal();
  await file.publish();
  await file.discard();
  expect(readdirSync(folder.path)).toEqual(['a.txt']);
});

test('a folder in the way is told before anything is written', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'a.txt'));
  await expect(openAtomicFile(join(folder.path, 'a.txt'))).rejects.toMatchObject({
    code: 'OUTPUT_TROUBLE',
    message: expect.stringContaining('is a folder'),
  });
  expect(readdirSync(folder.path)).toEqual(['a.txt']);
});

test('a file where a folder should be is told', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'file'), '');
  await expect(openAtomicFile(join(folder.path, 'file', 'a.txt'))).rejects.toMatchObject({
    code: 'OUTPUT_TROUBLE',
    message: expect.stringContaining('lies below a file'),
  });
});

test('a device or a pipe is never replaced by a file', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'pipe');
  execFileSync('mkfifo', [path]);
  await expect(openAtomicFile(path)).rejects.toMatchObject({
    code: 'OUTPUT_TROUBLE',
    message: `${path} is no file`,
  });
});

test('a folder that may not be written is told', async () => {
  using folder = temporaryFolder();
  chmodSync(folder.path, 0o555);
  using _nobody = actAsNobody();
  await expect(openAtomicFile(join(folder.path, 'a.txt'))).rejects.toMatchObject({
    code: 'OUTPUT_TROUBLE',
    message: expect.stringContaining('may not be written by this user'),
  });
});

/** Nothing is forbidden to root, so root steps down for a while. */
function actAsNobody(): Disposable {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  return {
    [Symbol.dispose]() {
      if (isRoot) process.seteuid?.(0);
    },
  };
}

test('a write that finds no room leaves the old file and no temporary one', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'a.txt');
  writeFileSync(path, 'old');
  const script = `
    import { writeFileAtomically } from ${JSON.stringify(packagePath('src/core/runtime/files/atomic-file.ts'))};
    await writeFileAtomically(${JSON.stringify(path)}, 'x'.repeat(1e6)).catch((error) => {
      console.log(error.code, error.message);
    });`;
  // The limit of the shell stands in for a full disk: the write fails half way in the same manner.
  const output = execFileSync(
    'bash',
    [
      '-c',
      'trap "" XFSZ; ulimit -f 64; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      script,
    ],
    { encoding: 'utf8' },
  );
  expect(output).toContain('OUTPUT_TROUBLE');
  expect(output).toContain('cannot be written');
  expect(readdirSync(folder.path)).toEqual(['a.txt']);
  expect(readFileSync(path, 'utf8')).toBe('old');
});

test('a full disk is called by its name', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  expect(outputTrouble('out/companies.csv', full)).toMatchObject({
    code: 'OUTPUT_TROUBLE',
    message: 'out/companies.csv cannot be written: the disk is full',
    cause: full,
  });
});

test('a mistake of ours is not passed off as trouble with the disk', () => {
  const bug = new TypeError('x is not a function');
  expect(outputTrouble('a.txt', bug)).toBe(bug);
});

test('temporary files of killed processes are cleaned, those in use and all others stay', async () => {
  using folder = temporaryFolder();
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  writeFileSync(join(folder.path, `.companies.csv.${dead}-1.dossier-tmp`), 'half');
  // In a container the run before had our process id.
  writeFileSync(join(folder.path, `.people.csv.${process.pid}-0.dossier-tmp`), 'half');
  writeFileSync(join(folder.path, `.people.csv.${process.ppid}-1.dossier-tmp`), 'alive');
  writeFileSync(join(folder.path, '.notes.tmp'), 'somebody else');
  const inUse = await openAtomicFile(join(folder.path, 'rejects.csv'));

  await removeLeftovers(folder.path);

  expect(readdirSync(folder.path).sort()).toEqual(
    [
      '.notes.tmp',
      `.people.csv.${process.ppid}-1.dossier-tmp`,
      expect.stringMatching(/^\.rejects\.csv\..*dossier-tmp$/),
    ].sort(),
  );
  await inUse.discard();
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
