import { expect, test } from 'vitest';
import { looksLikeHeader } from '../../../src/lists/header.ts';

test.each([
  [['website']],
  [['Company Name', 'ABN', 'Website']],
  [['company.name', 'company.id', 'address.city']],
  [['org.legalName', 'note']],
  [['name', 'acme.com']],
  [['2024', '2025']],
  [['', '']],
])('%j names columns', (cells) => expect(looksLikeHeader(cells)).toBe(true));

test.each([
  [['acme.com.au']],
  [['WWW.ACME.COM']],
  [['tokopedia.id']],
  [['münchen.de']],
  [['株式会社.jp']],
  [['https://acme.com/about?x=1']],
  [['linkedin.com/company/acme']],
  [['info@acme.com']],
  [['51 824 753 556']],
  [['="51824753556"']],
  [['Acme Pty Ltd', 'acme.com', 'Lead']],
  [['Acme', undefined, 'acme.com']],
])('%j is data', (cells) => expect(looksLikeHeader(cells)).toBe(false));
