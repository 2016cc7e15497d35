import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { domainOf } from '../journeys/sample-companies.ts';
import { openWorkplace } from '../journeys/workplace.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { isOnPath, testIf } from '../support/needs.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { faultCase } from './support/fault-case.ts';

/** Clears the screen, sets the title, colours, one-byte commands, and text turned around. */
const hostile = '\u001b[2J\u001b]0;title\u0007\u001b[31mred\u009b1A\u202e\rlast';
const obeyed = /(?![\t\n])[\p{Cc}\u202e]/u;

describe('a terminal', () => {
  faultCase('obeys no header, no file name and no word of the service', async () => {
    await using place = await openWorkplace({ companies: 9 }, (_, index) =>
      index % 2 === 0
        ? { status: 400, body: JSON.stringify({ error: 400, message: `no ${hostile}` }) }
        : { status: 502, body: `<title>${hostile}</title>` },
    );
    const rows = Array.from({ length: 6 }, (_, index) => `${domainOf(index)},x`);
    const list = place.write(`le${hostile}ads.csv`, ['website,note', ...rows].join('\n'));
    const unclear = place.write('unclear.csv', `na${hostile}me,other\nAcme,Bolt\n`);
    const run = ['--log-level', 'debug', '--max-calls', '4'];
    const ended = [
      await place.run([list, ...run]),
      await place.run([list, ...run, '--log-format', 'json']),
      await place.run([unclear]),
      ...(await Promise.all(
        [
          ['init', list, '--to', join(place.folder, `${hostile}.yaml`)],
          ['plan', list, '--url', 'embedded'],
          ['check', list, '--url', 'embedded'],
          ['status', `job ${hostile}`],
          ['identify', `no ${hostile}`],
          ['export', list, '--url', 'embedded'],
        ].map((args) => runDossier(args, { cwd: place.folder })),
      )),
    ];
    for (const { stdout, stderr } of ended) {
      expect(stdout + stderr).not.toBe('');
      expect(stdout + stderr).not.toMatch(obeyed);
    }
    expect(ended.map(({ stdout, stderr }) => stdout + stderr).join()).toContain('\\u001b[31mred');
  });

  // The `script` of macOS and the BSDs takes other arguments.
  const hasScript = isOnPath('script') && process.platform === 'linux';
  faultCase(
    'shows our colours and nothing that it was told by others',
    async () => {
      using folder = temporaryFolder();
      const words = [process.execPath, join(import.meta.dirname, '../../src/main.ts')];
      const command = [...words, 'identify', hostile].map((word) => `'${word}'`).join(' ');
      const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
        cwd: folder.path,
        env: { ...cleanEnvironment({ TERM: 'xterm' }), NO_COLOR: undefined },
        encoding: 'utf8',
      });
      const label = '\u001b[31mdossier: INPUT_UNREADABLE\u001b[39m';
      expect(stdout).toContain(label);
      expect(stdout).toContain('\\u001b[31mred');
      // A terminal gets its line ends as two characters.
      expect(stdout.replace(label, '').replaceAll('\r\n', '\n')).not.toMatch(obeyed);
    },
    { short: 0, where: testIf(hasScript, 'there is no `script` of util-linux') },
  );
});
