/** In the order in which they are believed. */
export const sourceKinds = {
  abn: {
    title: 'ABN Bulk Extract of the Australian Business Register',
    licence: 'Creative Commons Attribution. Source: Australian Business Register, ABN Bulk Extract',
  },
  companies: {
    title: 'ASIC company dataset',
    licence: 'Creative Commons Attribution. Source: ASIC, Company Dataset',
  },
  business: {
    title: 'ASIC business names dataset',
    licence: 'Creative Commons Attribution. Source: ASIC, Business Names Dataset',
  },
  own: { title: 'own list', licence: null },
} as const;
export type SourceKind = keyof typeof sourceKinds;

/** The position of a kind is stored. The first two may be taken before the others. */
export const nameKinds = ['main', 'business', 'trading', 'other', 'former', 'person'] as const;
export type NameKind = (typeof nameKinds)[number];

/** What a source says about one identifier. */
export interface SourceEntity {
  readonly kind: string;
  readonly value: string;
  /** The main name first. */
  readonly names: readonly (readonly [kind: NameKind, text: string])[];
  readonly isActive?: boolean | undefined;
  readonly isPerson?: boolean | undefined;
  readonly type?: { readonly code: string; readonly words: string } | undefined;
  readonly state?: string | undefined;
  readonly postcode?: string | undefined;
  readonly gst?: string | undefined;
  readonly acn?: string | undefined;
}

/** A part of a source, read as a stream. */
export interface SourcePart {
  readonly kind: SourceKind;
  readonly file: string;
  /** Complete when the first batch has come. */
  readonly facts: { part: string; extractedAt: string | null };
  readonly batches: AsyncIterable<readonly SourceEntity[]>;
  /** How much of its file is read, from 0 to 1. */
  share(): number;
}
