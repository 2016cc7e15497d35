import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { domainOf } from '../journeys/sample-companies.ts';
import { openWorkplace } from '../journeys/workplace.ts';
import { runDossier } from '../support/run-dossier.ts';
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
          ['status', `job ${hostile}`],
          ['identify', `no ${hostile}`],
        ].map((args) => runDossier(args, { cwd: place.folder })),
      )),
    ];
    for (const { stdout, stderr } of ended) {
      expect(stdout + stderr).not.toBe('');
      expect(stdout + stderr).not.toMatch(obeyed);
    }
    expect(ended.map(({ stdout, stderr }) => stdout + stderr).join()).toContain('\\u001b[31mred');
  });
});
