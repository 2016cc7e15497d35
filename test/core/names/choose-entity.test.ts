import { describe, expect, test } from 'vitest';
import { chooseEntity, type NamedEntity, placeOf } from '../../../src/core/names/choose-entity.ts';

const entity = (value: string, facts: Partial<NamedEntity> = {}): NamedEntity => ({
  value,
  isActive: true,
  isPerson: false,
  isRegistered: true,
  state: 'NSW',
  postcode: '2000',
  ...facts,
});
const one = entity('1');
const far = entity('2', { state: 'WA', postcode: '6000' });
const near = entity('3', { postcode: '2010' });
const distinct = 'blue gum wattle';

describe('choosing among entities of one name', () => {
  test.each([
    ['the only one', distinct, [one], {}, '1'],
    ['the only one, although it is in another state', distinct, [one], { state: 'WA' }, '1'],
    ['the one with the postcode', distinct, [one, far, near], { postcode: '2010' }, '3'],
    ['the one in the state', distinct, [one, far], { state: 'WA' }, '2'],
    ['the active one', distinct, [one, entity('2', { isActive: false })], {}, '1'],
    [
      'the registered name before a trading name',
      distinct,
      [one, entity('2', { isRegistered: false })],
      {},
      '1',
    ],
    ['a common name at its postcode', 'building services', [one], { postcode: '2000' }, '1'],
    ['none: two are in the state', distinct, [one, near], { state: 'NSW' }, 'name_ambiguous'],
    [
      'none: the postcode of one, and the state of another',
      distinct,
      [one, far],
      { state: 'NSW', postcode: '6000' },
      'name_ambiguous',
    ],
    ['none: no place', distinct, [one, far], {}, 'name_ambiguous'],
    ['none: a common name', 'building services', [one], { state: 'NSW' }, 'name_ambiguous'],
    ['none: a common name elsewhere', 'acme plumbing', [one], { state: 'WA' }, 'name_ambiguous'],
    [
      'none: a cancelled one is at the postcode',
      distinct,
      [one, entity('2', { isActive: false, postcode: '2010' })],
      { postcode: '2010' },
      'name_ambiguous',
    ],
    ['none: a sole trader', distinct, [entity('1', { isPerson: true })], {}, 'name_not_found'],
    ['none: cancelled', distinct, [entity('1', { isActive: false })], {}, 'name_not_found'],
    [
      'none: a trading name against a cancelled registered one',
      distinct,
      [entity('1', { isActive: false }), entity('2', { isRegistered: false })],
      {},
      'name_not_found',
    ],
  ])('%s', (_, fold, named, place, expected) => {
    const choice = chooseEntity(fold, named, place, () => false);
    expect('chosen' in choice ? choice.chosen.value : choice.reject).toBe(expected);
  });

  test('one word that other names begin with needs a place', () => {
    const choose = (place: object) => chooseEntity('summit', [one], place, () => true);
    expect(choose({})).toEqual({ reject: 'name_ambiguous' });
    expect(choose({ postcode: '2000' })).toEqual({ chosen: one });
  });
});

test.each([
  ['Victoria', '3000', { state: 'VIC', postcode: '3000' }],
  ['n.s.w.', '2000.0', { state: 'NSW', postcode: '2000' }],
  ['', '6000', { state: 'WA', postcode: '6000' }],
  ['', '2601', { state: 'ACT', postcode: '2601' }],
  ['NSW', '2601', { state: 'NSW', postcode: '2601' }],
  ['NT', '800', { state: 'NT', postcode: '0800' }],
  ['Bavaria', 'D-80331', { state: undefined, postcode: undefined }],
])('%s %s is a place', (state, postcode, place) => {
  expect(placeOf(state, postcode)).toEqual(place);
});
