import { expect, test } from 'vitest';
import { nameNetwork } from '../../../../src/engine/providers/company-data/network-name.ts';
import { fullCompany } from '../../../core/columns/sample-records.ts';

test('linkedin is read as network in the company and both social objects', () => {
  const renamed: unknown = JSON.parse(
    JSON.stringify(fullCompany()).replaceAll('"network"', '"linkedin"'),
  );
  expect(nameNetwork(renamed)).toEqual(fullCompany());
});
