/** A job or a list of the folder. */
export interface ListCard {
  /** Its path from the folder. */
  readonly path: string;
  readonly kind: 'job' | 'list';
}
