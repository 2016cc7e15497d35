/** What a register said about a row when its list was read. Stored with the row. */
export interface RowRegister {
  /** The company with the ABN of the row. */
  readonly entity?: RegisterEntity;
  /** For a name that means no company for certain, the best first. */
  readonly suggestions?: readonly NameSuggestion[];
}

export interface RegisterEntity {
  readonly status: 'active' | 'cancelled';
  readonly name: string;
  readonly entityType: string | null;
  readonly state: string | null;
  readonly postcode: string | null;
  readonly gst: string | null;
  readonly acn: string | null;
}

/** A company that a name may mean. */
export interface NameSuggestion
  extends Pick<RegisterEntity, 'status' | 'name' | 'state' | 'postcode'> {
  /** `abn`, or the kind of identifier in an own list. */
  readonly kind: string;
  readonly value: string;
  /** `other spelling, same state` */
  readonly why: string;
}

/** A source of the register, as those who publish its data have to name it. */
export interface RegisterSource {
  readonly title: string;
  readonly licence: string | null;
  /** When its publisher made it. */
  readonly extractedAt: string | null;
}

/** `ACME PTY LTD, ABN 51824753556 (NSW 2000, same name, cancelled)` */
export function suggestionText({ name, kind, value, state, postcode, why }: NameSuggestion) {
  const place = [state, postcode].filter(Boolean).join(' ');
  const number = kind === 'abn' ? `ABN ${value}` : value;
  return `${name}, ${number} (${[place, why].filter(Boolean).join(', ')})`;
}
