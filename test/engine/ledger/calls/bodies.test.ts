import { expect, test } from 'vitest';
import { bundleBodies } from '../../../../src/engine/ledger/calls/bodies.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { hitWith, openDatabase, putAnswer } from '../support/answers.ts';

test('answers that came together are kept together, and each is read by itself', () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/ledger.db`;
  using ledger = openLedger(path);
  const texts = ['{"id":"c_1"}', '{"id":"c_2"}', '{"id":"c_3"}'];
  const bodies = bundleBodies(texts.map((text) => Buffer.from(text)));
  const ids = bodies.map((body, index) => putAnswer(ledger, index + 1, hitWith({ body })));
  expect(ids.map((id) => String(ledger.calls.body(id)))).toEqual(texts);
  using db = openDatabase(path);
  expect(db.value.prepare('select count(*) as bundles from bundle').get()).toEqual({ bundles: 1 });
});

test('a damaged bundle takes its answers with it, and no other', () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/ledger.db`;
  using ledger = openLedger(path);
  const put = (bodies: readonly Buffer[]) =>
    bundleBodies(bodies).map((body) => putAnswer(ledger, 1, hitWith({ body })));
  const long = (name: string) => Buffer.from(JSON.stringify({ id: name, text: name.repeat(200) }));
  const together = put([long('a'), long('b')]);
  const [alone = 0] = put([long('c')]);
  using db = openDatabase(path);
  db.value.exec('update bundle set bytes = zeroblob(length(bytes)) where id = 1');
  expect(together.map((id) => ledger.calls.body(id))).toEqual([null, null]);
  expect(ledger.calls.body(alone)?.equals(long('c'))).toBe(true);
});
