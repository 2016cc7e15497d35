import { describe, expect, test } from 'vitest';
import { identifyCell } from '../../../../src/core/identify/identify-cell.ts';

const domainsOf = (text: string) => text.trim().split(/\s+/);

const freeMail = domainsOf(`
  gmail.com googlemail.com outlook.com hotmail.com hotmail.com.au live.com live.com.au msn.com
  yahoo.com yahoo.com.au yahoo.co.nz yahoo.co.jp ymail.com icloud.com me.com mac.com aol.com
  gmx.com gmx.de mail.com proton.me protonmail.com pm.me tutanota.com fastmail.com fastmail.com.au
  zoho.com hey.com duck.com qq.com 163.com 126.com naver.com daum.net hanmail.net yandex.ru
  bigpond.com bigpond.net.au bigpond.com.au optusnet.com.au iinet.net.au internode.on.net
  westnet.com.au dodo.com.au ozemail.com.au xtra.co.nz singnet.com.sg docomo.ne.jp comcast.net
  mail.yahoo.com`);

const companies = domainsOf(`
  telstra.com team.telstra.com tpg.com.au optus.com.au spark.co.nz singtel.com nus.edu.sg
  microsoft.com google.com facebook.com alibaba.com example.com yahoo.acme.com acme.com.au`);

describe('an e-mail address', () => {
  test.each(freeMail)('at %s names no company', (domain) => {
    expect(identifyCell(`jane@${domain}`, 'auto')).toHaveProperty('reject', 'freemail');
  });

  test.each(companies)('at %s names one', (domain) => {
    expect(identifyCell(`jane@${domain}`, 'auto')).toHaveProperty('kind', 'fqdn');
  });
});

test.each(['gmail.com', 'https://www.bigpond.com/', 'outlook.com'])(
  '%s in a column of domains is the company itself',
  (domain) => expect(identifyCell(domain, 'fqdn')).toHaveProperty('kind', 'fqdn'),
);
