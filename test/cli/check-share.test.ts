import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CheckJson, checkShare } from '../../src/cli/check.ts';
import { redisAddress, secretAddress } from '../../src/job/read-address.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { isOnPath, testIf } from '../support/needs.ts';
import { startRedis } from '../support/redis.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hasBoth = isOnPath('redis-server') && isOnPath('openssl');

testIf(hasBoth, 'redis-server or openssl is not on PATH')(
  'a check tells line by line whether runs can share a Redis, and never its password',
  async () => {
    using folder = temporaryFolder();
    const certificate = makeCertificate('IP:127.0.0.1');
    const path = (name: string) => join(folder.path, name);
    writeFileSync(path('ca.pem'), certificate.cert);
    writeFileSync(path('leads.csv'), 'website\nacme-test.com\n');
    await using service = await openHostileServer({ status: 400, body: '{"error":400}' });
    await using redis = await startRedis({ certificate, config: { requirepass: 'open-sesame' } });
    const check = async (password: string, form: string) => {
      const env = {
        DOSSIER_URL: service.url,
        DOSSIER_API_KEY: 'key-of-the-tests',
        NODE_EXTRA_CA_CERTS: path('ca.pem'),
        DOSSIER_SHARE: redis.url.replace('//', `//:${password}@`),
      };
      const line = ['check', 'leads.csv', ...form.split(' ')];
      const finished = await runDossier(line, { cwd: folder.path, env });
      expect(`${finished.stdout}${finished.stderr}`).not.toContain(password);
      return finished;
    };
    const right = await check('open-sesame', '--json');
    const { ok, checks } = CheckJson.parse(JSON.parse(right.stdout));
    expect(ok).toBe(true);
    const shared = checks.filter(({ part }) => part.startsWith('share'));
    expect(shared.map(({ part, state }) => `${part} ${state}`)).toEqual([
      'share ok',
      'share-version ok',
      'share-eviction ok',
      'share-rights ok',
    ]);
    const wrong = await check('open-barley', '--rate 5');
    expect(wrong.exitCode).toBe(77);
    expect(wrong.stdout).toMatch(/✗ share: +Redis at 127\.0\.0\.1:\d+ refuses the user name or/);
  },
);

test.each([
  [{ leavesShareOut: true }, 'off: sample data is not shared'],
  [{ share: shareAt(`\${NO_SUCH:-}`) }, 'off: its variable is empty'],
])('without an address no Redis is asked: %#', async (service, finding) => {
  const job = { url: 'https://service', key: { from: 'nowhere' }, ...service } as const;
  expect(JSON.stringify(await checkShare(job))).toContain(finding);
});

function shareAt(written: string) {
  return secretAddress(written, 'service.share', redisAddress);
}
