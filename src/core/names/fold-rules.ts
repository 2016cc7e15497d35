/** Letters that Unicode does not take apart into a base letter and an accent. */
export const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/** Most names have none of the signs below, and one search costs less than five. */
export const anySign = /[/&+'’‘`´]/;

/** Signs that stand for words. Applied before the text is cut into words. */
export const signs: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/(?<![a-z0-9])t\/as?(?![a-z0-9])/g, ' trading as '],
  [/(?<![a-z0-9])d\/b\/a(?![a-z0-9])/g, ' dba '],
  [/(?<![a-z0-9])p\/l(?![a-z0-9])/g, ' pty limited '],
  [/[&+]/g, ' and '],
  // `Smith's` is `Smiths`, but other signs separate words.
  [/['’‘`´]/g, ''],
];

/** One spelling for each word. No spelling on the right stands on the left. */
export const spellings: ReadonlyMap<string, string> = tableOf({
  limited: 'ltd',
  incorporated: 'inc',
  proprietary: 'pty',
  association: 'assn assoc',
  australia: 'aust',
  brothers: 'bros',
  centre: 'center ctr',
  company: 'co',
  corporation: 'corp',
  department: 'dept',
  international: 'intl',
  management: 'mgmt mgt',
  manufacturing: 'mfg',
  national: 'natl',
  services: 'svcs',
  technologies: 'techs',
  qld: 'queensland',
  tas: 'tasmania',
  vic: 'victoria',
});

/** Replaced wherever they stand. An empty replacement removes them. */
export const phrases: readonly (readonly [words: string, replacement: string])[] = [
  ['new south wales', 'nsw'],
  ['south australia', 'sa'],
  ['western australia', 'wa'],
  ['northern territory', 'nt'],
  ['australian capital territory', 'act'],
  ['proprietary limited', ''],
  ['proprietary', ''],
  ['sdn bhd', 'bhd'],
];

/** Removed in front of other words. */
export const openings: readonly string[] = [
  'the',
  'trustee for',
  'trustee of',
  'trustees for',
  'trustees of',
  'trading as',
];

/** Legal forms of Australian companies. A business or trading name has none. */
export const companyForms = ['limited', 'proprietary', 'pl', 'nl'] as const;

/** `Acme GmbH` is not Acme Pty Ltd. `Acme Inc` may be American, or an Australian association. */
export const otherForms = ['incorporated', 'llc', 'llp', 'plc', 'gmbh', 'pte', 'bhd'] as const;

/** Removed behind other words: legal forms, and what happens to a company. */
export const endings: readonly string[] = [
  ...companyForms,
  ...otherForms,
  ...['in liquidation', 'in liq', 'in provisional liquidation', 'in voluntary liquidation'],
  ...['administrator appointed', 'administrators appointed', 'in administration'],
  ...['under administration', 'under external administration', 'controller appointed'],
  ...['receiver appointed', 'receivers appointed', 'receivers and managers appointed'],
  ...['receiver and manager appointed', 'subject to deed of company arrangement', 'deregistered'],
];

/** Between two names. `takes` is the side with the name of the ABN; the other one is a second name. */
export const separators: readonly (readonly [words: string, takes: 'before' | 'after'])[] = [
  ['trading as', 'before'],
  ['dba', 'before'],
  ['formerly known as', 'before'],
  ['formerly', 'before'],
  ['atf', 'after'],
  ['as trustee for', 'after'],
  ['as the trustee for', 'after'],
  ['as trustees for', 'after'],
  ['as trustee of', 'after'],
];

/** So common that a name made of them alone says little. */
export const commonWords: ReadonlySet<string> = new Set(
  `and of the for australia australian nsw qld vic sa wa nt act tas group holdings services
  company corporation enterprises industries investments management international national
  solutions consulting consultants trust family fund super superannuation property properties
  building builders plumbing electrical engineering transport logistics trading design media
  digital technology technologies systems finance financial medical health care centre
  association associates partners partnership club society`.split(/\s+/),
);

function tableOf(words: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const pairs = Object.entries(words).flatMap(([spelling, others]) =>
    others.split(' ').map((other) => [other, spelling] as const),
  );
  return new Map(pairs);
}
