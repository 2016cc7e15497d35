import { expect, test } from 'vitest';
import { looksLikeHeader } from '../../../src/lists/header.ts';

test.each([
  [['website']],
  [['Company Name', 'ABN', 'Website']],
  [['company.name', 'company.id', 'address.city']],
  [['org.legalName', 'note']],
  [['id', 'data.domain']],
  [['Firma', 'Webseite']],
  [['name', 'acme.com']],
  [['E-mail', 'LinkedIn URL']],
  [['2024', '2025']],
  [['', '']],
])('%j names columns', (cells) => expect(looksLikeHeader(cells)).toBe(true));

test.each([
  [['acme.com.au']],
  [['Acme.com']],
  [['WWW.ACME.COM']],
  [['name.com']],
  [['tokopedia.id']],
  [['münchen.de']],
  [['xn--mnchen-3ya.de']],
  [['株式会社.jp']],
  [['https://acme.com/about?x=1']],
  [['acme.com/about']],
  [['linkedin.com/company/acme']],
  [['info@acme.com']],
  [['51 824 753 556']],
  [['="51824753556"']],
  [['004085616']],
  [['Acme Pty Ltd', 'acme.com', 'Lead']],
  [['51824753556', 'Company', 'acme.com']],
  [['Acme', undefined, 'acme.com']],
])('%j is data', (cells) => expect(looksLikeHeader(cells)).toBe(false));
