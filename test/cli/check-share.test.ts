import { expect, test } from 'vitest';
import { CheckJson, checkShare } from '../../src/cli/check.ts';
import { redisAddress, secretAddress } from '../../src/job/read-address.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { companyDataService } from '../support/test-job.ts';
import { openFolder } from '../support/work-folder.ts';

testWithRedis(
  'a check says whether runs can share a Redis, and never shows its password',
  async () => {
    using folder = openFolder({ 'leads.csv': 'website\nacme-test.com\n' });
    await using service = await openHostileServer({ status: 400, body: '{"error":400}' });
    await using redis = await startRedis({ config: { requirepass: 'open-sesame' } });
    const check = async (password: string, flags: string) => {
      const env = {
        DOSSIER_URL: service.url,
        DOSSIER_API_KEY: 'key-of-the-tests',
        DOSSIER_SHARE: redis.url.replace('//', `//:${password}@`),
      };
      const finished = await folder.dossier(`check leads.csv ${flags}`, { env });
      expect(`${finished.stdout}${finished.stderr}`).not.toContain(password);
      return finished;
    };
    const right = await check('open-sesame', '--json');
    const { ok, checks } = CheckJson.parse(JSON.parse(right.stdout));
    expect(ok).toBe(true);
    const shared = checks.filter(({ part }) => part.startsWith('share'));
    expect(shared).toMatchObject([{ part: 'share', state: 'ok' }]);
    const wrong = await check('open-barley', '--rate 5');
    expect(wrong.exitCode).toBe(77);
    expect(wrong.stdout).toMatch(/✗ share: +Redis at 127\.0\.0\.1:\d+ refuses the user name or/);
  },
);

test('without an address no Redis is called', async () => {
  const share = shareAt(`\${NO_SUCH:-}`);
  const job = { ...companyDataService, url: 'https://service', share } as const;
  expect(JSON.stringify(await checkShare(job))).toContain(
    'off: the environment variable with its address is empty',
  );
});

function shareAt(written: string) {
  return secretAddress(written, 'service.share', redisAddress);
}
