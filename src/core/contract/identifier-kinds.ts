interface KindWords {
  /** For the description of the interface. */
  readonly meaning: string;
  /** For people, on the page and in the terminal. Kinds that people need not tell apart share it. */
  readonly label: string;
  /** In messages that list the kinds; null if they leave it out. */
  readonly noun: string | null;
  /** A list's header with one of these words names its columns. */
  readonly headerWords: string;
  /** Possible lengths if it is a register number with check digits, otherwise none. */
  readonly digits: readonly number[];
  /** A reserved name or a public number, which a service may or may not have. */
  readonly example: string;
}

/** If a request has several identifiers, the service uses the first in this order. */
export const kindWords = {
  id: {
    meaning: "The service's identifier for the company.",
    label: 'Company id',
    noun: null,
    headerWords: 'id identifier',
    digits: [],
    example: 'example',
  },
  abn: {
    meaning: 'Australian Business Number.',
    label: 'ABN',
    noun: 'ABN',
    headerWords: 'abn acn',
    // An ACN has 9 digits, and an ABN with a branch 14.
    digits: [9, 11, 14],
    example: '51824753556',
  },
  fqdn: {
    meaning: 'Fully-qualified domain name.',
    label: 'Domain',
    noun: 'domain',
    headerWords: 'domain email fqdn',
    digits: [],
    example: 'example.com',
  },
  website: {
    meaning: 'Company website URL.',
    label: 'Domain',
    noun: null,
    headerWords: 'url website',
    digits: [],
    example: 'https://example.com',
  },
  ln_slug: {
    meaning: 'Company slug on a professional network.',
    label: 'Network page',
    noun: null,
    headerWords: 'slug',
    digits: [],
    example: 'example',
  },
  ln_url: {
    meaning: 'Full URL of the company page on a professional network.',
    label: 'Network page',
    noun: 'professional-network URL',
    headerWords: 'linkedin',
    digits: [],
    example: 'https://www.linkedin.com/company/example',
  },
} as const satisfies Record<string, KindWords>;

export type IdentifierKind = keyof typeof kindWords;

export const identifierKinds = Object.keys(kindWords) as [IdentifierKind, ...IdentifierKind[]];

const otherReadings: Readonly<Record<string, string>> = {
  auto: 'Any kind',
  name: 'Company name',
  none: 'Nothing to look up',
};

/** `fqdn → Domain` */
export function kindName(kind: string): string {
  return kindWords[kind as IdentifierKind]?.label ?? otherReadings[kind] ?? kind;
}

/** Other words that users write for a kind, such as `domain` for `fqdn`. */
export function kindMeantBy(word: string): IdentifierKind | undefined {
  const wanted = word
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
  const isMeant = (kind: IdentifierKind) => {
    const { label, headerWords } = kindWords[kind];
    return [label.toLowerCase(), ...headerWords.split(' ')].includes(wanted);
  };
  return identifierKinds.find(isMeant);
}

export const registerKinds = identifierKinds.filter((kind) => kindWords[kind].digits.length > 0);

/** `domains, ABNs or professional-network URLs`. Domains come first, because most lists have them. */
export function listKinds(last: 'and' | 'or', plural: 's' | '', ...more: string[]): string {
  const nouns = (['fqdn', ...identifierKinds] as const).flatMap(
    (kind) => kindWords[kind].noun ?? [],
  );
  const words = [...new Set<string>([...nouns, ...more])].map((noun) => noun + plural);
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
