import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReportData } from '../../../src/ui/report/report-data.ts';
import { dataPlace, embedJson, renderReport } from '../../../src/ui/report/report-sink.ts';

test('no text that a company brings can leave its place in the page', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('</script>', '<!--<script>', ']]>', '$&', '$1', '\u2028', '&lt;'),
  );
  fc.assert(
    fc.property(fc.array(hostile), (texts) => {
      const embedded = embedJson(texts);
      expect(embedded).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(embedded)).toEqual(texts);
    }),
  );
});

test('the data comes into its place as it is, and a page without that place is a bug', () => {
  const data = { version: '$& $1 </script>' } as ReportData;
  const page = renderReport(`<body>${dataPlace}</body>`, data);
  const [, json = ''] = /report-data">(.*)<\/script><\/body>$/.exec(page) ?? [];
  expect(JSON.parse(json)).toEqual(data);
  expect(() => renderReport('<body></body>', data)).toThrow('place for its data');
});
