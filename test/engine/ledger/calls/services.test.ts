import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { openDatabase, testService } from '../support/answers.ts';

const call = { key: Buffer.alloc(16, 1), text: 'company?country=AU&fqdn=acme.com.au' };

test('a call of an older version learns its service when it is needed again', () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/ledger.db`;
  {
    using _ledger = openLedger(path);
    using db = openDatabase(path);
    db.value.prepare('insert into call (key, text) values (:key, :text)').run(call);
  }
  const ids = () => {
    using ledger = openLedger(path);
    return ledger.inTransaction(() => ledger.calls.idsOf([testService], [call]));
  };
  const [first] = ids();
  expect(ids()).toEqual([first]);
  using db = openDatabase(path);
  const services = db.value.prepare(
    'select c.id, s.adapter as provider, s.url from call c join service s on s.id = c.service_id',
  );
  expect(services.all()).toEqual([{ id: first, ...testService }]);
});
