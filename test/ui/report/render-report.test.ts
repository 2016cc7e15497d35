import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReportData } from '../../../src/ui/report/report-data.ts';
import { dataElement, embedJson, renderReport } from '../../../src/ui/report/report-sink.ts';
import { anyText } from '../../support/any-text.ts';

test('no text that a company brings can leave its element in the page', () => {
  const hostile = fc.oneof(
    anyText(),
    fc.constantFrom('</script>', '<!--<script>', ']]>', '$&', '$1', '\u2028', '&lt;'),
  );
  fc.assert(
    fc.property(fc.array(hostile), (texts) => {
      const embedded = embedJson(texts);
      const isInside = !/[<>&\u2028\u2029]/.test(embedded);
      return isInside && isDeepStrictEqual(JSON.parse(embedded), texts);
    }),
  );
});

test('the data goes into its element unchanged, and a page without it is a bug', () => {
  const data = { version: '$& $1 </script>' } as ReportData;
  const page = renderReport(`<body>${dataElement}</body>`, data);
  const [, json = ''] = /report-data">(.*)<\/script><\/body>$/.exec(page) ?? [];
  expect(JSON.parse(json)).toEqual(data);
  expect(() => renderReport('<body></body>', data)).toThrow('element for its data');
});
