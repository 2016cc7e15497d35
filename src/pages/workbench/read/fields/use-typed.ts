import { useState } from 'preact/hooks';

interface Typed {
  readonly value: string;
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void;
  /** The user has finished; the field shows what is kept. */
  done(): void;
}

/** What stands in a field: the page may be drawn anew while somebody types, when a price was counted, say. */
export function useTyped(kept: string): Typed {
  const [typed, setTyped] = useState<string>();
  return {
    value: typed ?? kept,
    onInput: ({ currentTarget }) => setTyped(currentTarget.value),
    done: () => setTyped(undefined),
  };
}
