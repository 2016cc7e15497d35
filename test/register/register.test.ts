import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';
import { allowEntities, forgetEntities } from '../../src/register/forget-entities.ts';
import { loadRegister } from '../../src/register/load-register.ts';
import { openRegister } from '../../src/register/open-register.ts';
import { makeZip } from '../support/make-zip.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const bulk = packagePath('fixtures/register/20260630_Public01.xml');
const acme = '57961803396';
const head = (sequence: number) =>
  `<?xml version="1.0"?>\n<Transfer><TransferInfo><FileSequenceNumber>${sequence}</FileSequenceNumber></TransferInfo>`;
/** In two lines, because the schema does not promise one. */
const record = (abn: string, name: string, type = 'PRV') => `
  <ABR replaced="N"><ABN status="ACT">${abn}</ABN><EntityType><EntityTypeInd>${type}</EntityTypeInd>
  <EntityTypeText>Type ${type}</EntityTypeText></EntityType><MainEntity><NonIndividualName type="MN">
  <NonIndividualNameText>${name}</NonIndividualNameText></NonIndividualName><BusinessAddress>
  <AddressDetails><State>NSW</State><Postcode>2000</Postcode></AddressDetails></BusinessAddress></MainEntity></ABR>`;

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, 'register.db');
  return () => folder[Symbol.dispose]();
});

function write(name: string, content: string | Buffer) {
  const file = join(folder.path, name);
  writeFileSync(file, content);
  return file;
}

function namesOf(abn: string) {
  using register = openRegister(path);
  return register.find('abn', abn)?.name;
}

function resolve(name: string, place = {}) {
  using register = openRegister(path);
  const result = register.resolve(name, place);
  return 'chosen' in result ? result.chosen.map(({ value }) => value) : result.reject;
}

describe('loading', () => {
  test('reads the bulk extract, without sole traders unless they are asked for', async () => {
    const [part] = await loadRegister(path, [bulk], {});
    expect(part).toMatchObject({ part: '01', records: 490 });
    expect(part?.individuals).toBeGreaterThan(50);
    using register = openRegister(path);
    expect(register.find('abn', acme)).toMatchObject({
      name: 'LARCHHAVEN APPS PTY LTD',
      isActive: true,
      type: 'Australian Private Company',
      state: 'TAS',
      gst: 'active',
      acn: '961803396',
    });
    const [all] = await loadRegister(path, [bulk], { withIndividuals: true });
    expect(all).toMatchObject({ individuals: 0, entities: 490 });
  });

  test('a part replaces only itself, from a zip with several files', async () => {
    const xml = (sequence: number, name: string) =>
      `${head(sequence)}${record(`${sequence}1824753556`, name)}</Transfer>`;
    const zip = (name: string) =>
      write(name, makeZip({ '01.xml': xml(5, `${name} One`), '02.xml': xml(6, 'Two &amp; Sons') }));
    await loadRegister(path, [bulk, zip('old')], {});
    await loadRegister(path, [zip('new')], {});
    expect(namesOf('51824753556')).toBe('new One');
    expect(resolve('two and sons pty ltd')).toEqual(['61824753556']);
    expect(namesOf(acme)).toBe('LARCHHAVEN APPS PTY LTD');
  });

  test('business names are kept only for loaded entities, and leave with them', async () => {
    const names = write(
      'BUSINESS_NAMES.csv',
      `\uFEFFREGISTER_NAME\tBN_NAME\tBN_STATUS\tBN_ABN\nBN\tBlue Gum Cafe\tRegistered\t${acme}\nBN\tJane Citizen Cakes\tRegistered\t11000000948\n`,
    );
    const loaded = await loadRegister(path, [names, bulk], {});
    expect(loaded.at(-1)).toMatchObject({ source: 'business', entities: 1, unknown: 1 });
    expect(resolve('The Blue Gum Café')).toEqual([acme]);
    expect(resolve('Jane Citizen Cakes')).toBe('name_not_found');
    const other = write('other.xml', `${head(1)}${record('51824753556', 'Other')}</Transfer>`);
    await loadRegister(path, [other], {});
    expect(resolve('Blue Gum Cafe')).toBe('name_not_found');
  });

  test('ASIC companies bring former names and status', async () => {
    const columns = 'Company Name,ACN,Type,Status,Current Name Indicator,ABN,Current Name';
    const rows = [
      `Old Wattle Pty Ltd,961803396,APTY,DRGD,,${acme},Wattle Apps Pty Ltd`,
      `Wattle Apps Pty Ltd,961803396,APTY,DRGD,Y,${acme},`,
      'In Receivership Orchids Pty Ltd,824753556,APTY,EXAD,Y,51824753556,',
    ];
    const companies = write('companies.csv', `${columns}\n${rows.join('\n')}\n`);
    await loadRegister(path, [companies], {});
    using register = openRegister(path);
    expect(register.find('abn', acme)).toMatchObject({
      name: 'Wattle Apps Pty Ltd',
      isActive: false,
    });
    expect(register.suggest('old wattle')[0]?.why).toBe('same name, former name, cancelled');
    // A company under administration still exists.
    expect(register.find('abn', '51824753556')?.isActive).toBe(true);
  });

  test('an own list makes names find domains', async () => {
    const crm = write(
      'crm.csv',
      'Client,Site,State\nWattle & Co,https://wattle.com.au/,NSW\nNo Site,,\n',
    );
    const own = { name: 'Client', column: 'Site', as: 'fqdn' } as const;
    const [part] = await loadRegister(path, [crm], { own });
    expect(part).toMatchObject({ source: 'own', part: 'crm.csv', entities: 1 });
    expect(resolve('wattle and company')).toEqual(['wattle.com.au']);
  });

  test.each([
    ['cut.xml', readFileSync(bulk).subarray(0, 20_000), 'after 30 records, byte 20000'],
    [
      'short.xml',
      `${head(1).replace('</TransferInfo>', '<RecordCount>2</RecordCount></TransferInfo>')}${record(acme, 'A')}</Transfer>`,
      'it has 1 record, but says that it has 2',
    ],
    ['wrong.xml', '<html><body/></html>', 'starts with <Transfer>'],
    ['damaged.zip', makeZip({ 'a.xml': head(1) }).subarray(0, -30), 'damaged zip'],
    ['empty.zip', makeZip({ 'readme.txt': 'x' }), 'no XML file'],
    ['leads.csv', 'Company,Website\nAcme,acme.com\n', '--name, --column and --as'],
  ])('%s is refused with 65, and the old register stays', async (name, content, said) => {
    await loadRegister(path, [bulk], {});
    const file = write(name, content);
    const load = ['register', 'load', '--register', path];
    const { exitCode, stderr } = await runDossier([...load, file]);
    expect(exitCode).toBe(65);
    expect(await runDossier([...load, folder.path])).toMatchObject({ exitCode: 65 });
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(said);
    expect(namesOf(acme)).toBe('LARCHHAVEN APPS PTY LTD');
    expect(readdirSync(folder.path).sort()).toEqual([name, 'register.db'].sort());
  });
});

describe('finding', () => {
  beforeEach(() => loadRegister(path, [bulk], {}));

  test('suggests close names with reasons, and never takes them', () => {
    using register = openRegister(path);
    expect(register.resolve('Larchaven Apps')).toEqual({ reject: 'name_not_found' });
    const [best] = register.suggest('Larchaven Apps', { state: 'TAS' });
    expect(best).toMatchObject({ value: acme, why: 'other spelling, same state' });
  });

  test('suggests no names that are only similar beside closer ones', () => {
    using register = openRegister(path);
    const whys = register.suggest('Lumenbeck Supplies').map(({ why }) => why);
    expect(whys).toEqual(['same name', 'same name']);
    expect(register.suggest('Lumenbeckish Wares')[0]?.why).toBe('similar');
  });

  test('marks the company that a name means for certain', async () => {
    const args = ['register', 'find', 'Larchhaven Apps', '--register', path, '--json'];
    const { stdout } = await runDossier(args);
    const { result, candidates } = JSON.parse(stdout);
    expect(result).toBe('unique');
    expect(candidates[0]).toMatchObject({ chosen: true, identifier: acme });
    expect(candidates[1]).toMatchObject({ chosen: false });
  });

  test('names the licences of its sources', async () => {
    const { stdout } = await runDossier(['register', 'info', '--register', path, '--json']);
    expect(JSON.parse(stdout).licences.join()).toContain('Creative Commons Attribution');
  });
});

test('a name that a forgotten company shared stays ambiguous, until it is allowed again', async () => {
  const other = '51824753556';
  const names = [record(acme, 'Wattle Apps Pty Ltd'), record(other, 'Wattle Apps Limited')];
  const part = write('part.xml', `${head(1)}${names.join('')}</Transfer>`);
  await loadRegister(path, [part], {});
  expect(resolve('Wattle Apps')).toBe('name_ambiguous');
  await forgetEntities(path, [`abn ${acme}`], false);
  expect(resolve('Wattle Apps')).toBe('name_ambiguous');
  await loadRegister(path, [part], {});
  expect(resolve('Wattle Apps', { postcode: '2000' })).toBe('name_ambiguous');
  // Then nobody has the name.
  await forgetEntities(path, [`abn ${other}`], false);
  expect(resolve('Wattle Apps')).toBe('name_not_found');
  expect(await allowEntities(path, [`abn ${acme}`, `abn ${other}`])).toBe(2);
  await loadRegister(path, [part], {});
  expect(resolve('Wattle Apps')).toBe('name_ambiguous');
});

test('a name with the legal form of another country is never taken by an Australian namesake', async () => {
  const names = [record(acme, 'Wattle Apps Pty Ltd'), record('51824753556', 'Gum Club Inc')];
  const part = write('part.xml', `${head(1)}${names.join('')}</Transfer>`);
  await loadRegister(path, [part], {});
  expect(resolve('Wattle Apps Ltd')).toEqual([acme]);
  const forms =
    'Inc|Inc.|Incorporated|LLC|L.L.C.|LLP|PLC|GmbH|G.m.b.H.|Sdn Bhd|Sdn. Bhd.|Pte Ltd|Pte. Ltd.|S.A.';
  expect(forms.split('|').map((form) => resolve(`Wattle Apps ${form}`))).toEqual(
    forms.split('|').map(() => 'name_not_found'),
  );
  using register = openRegister(path);
  expect(register.suggest('Wattle Apps GmbH')[0]).toMatchObject({ value: acme, why: 'same name' });
  // Only a main name has `Pty Ltd`, so a business name is not the company of this name.
  const shop = record(acme, 'Gum Farms and Sons Pty Ltd').replace(
    '</ABR>',
    '<OtherEntity><NonIndividualName type="BN"><NonIndividualNameText>Gum Farms</NonIndividualNameText></NonIndividualName></OtherEntity></ABR>',
  );
  await loadRegister(path, [write('part.xml', `${head(1)}${shop}${names[1]}</Transfer>`)], {});
  expect([resolve('Gum Farms'), resolve('Gum Farms P/L')]).toEqual([[acme], 'name_not_found']);
  // An association is incorporated in Australia, too.
  expect(resolve('Gum Club Incorporated')).toEqual(['51824753556']);
});

test('what was forgotten is not in the file, and the next load does not bring it back', async () => {
  await loadRegister(path, [bulk], {});
  expect(await forgetEntities(path, [`abn ${acme}`], false)).toBe(1);
  expect(namesOf(acme)).toBeUndefined();
  expect(readFileSync(path).includes('LARCHHAVEN APPS PTY')).toBe(false);
  const [again] = await loadRegister(path, [bulk], {});
  expect(again).toMatchObject({ forgotten: 1 });
  expect(namesOf(acme)).toBeUndefined();
  await allowEntities(path, [`abn ${acme}`]);
  await loadRegister(path, [bulk], {});
  expect(namesOf(acme)).toBe('LARCHHAVEN APPS PTY LTD');
});
