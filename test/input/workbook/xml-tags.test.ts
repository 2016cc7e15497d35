import { expect, test } from 'vitest';
import { readXmlTags } from '../../../src/input/workbook/open-workbook.ts';

const tagsOf = (xml: string) =>
  [...readXmlTags(xml)].map(({ name, attributes }) => [name, Object.fromEntries(attributes)]);

test('tags are read with or without a prefix, in either quotes', () => {
  expect(
    tagsOf(`<?xml version="1.0"?><x:sheets><x:sheet name='A "b"' r:id = "rId1" /></x:sheets>`),
  ).toEqual([
    ['sheets', {}],
    ['sheet', { name: 'A "b"', 'r:id': 'rId1' }],
  ]);
});

test('entities in attributes are decoded', () => {
  expect(tagsOf('<sheet name="R&amp;D &lt;1&gt; &#39;x&#x27; &#x1F600;"/>')).toEqual([
    ['sheet', { name: `R&D <1> 'x' 😀` }],
  ]);
});

test('an entity of no character stays as written', () => {
  expect(tagsOf('<a b="&#xffffff;&nbsp;"/>')).toEqual([['a', { b: '&#xffffff;&nbsp;' }]]);
});
