/** Throws if a partner is missing: otherwise a row would be stored with another row's id. */
export function pairs<One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): (readonly [One, Other])[] {
  if (ones.length !== others.length) {
    throw new Error(`${ones.length} values cannot pair with ${others.length}`);
  }
  return ones.map((one, index) => [one, others[index] as Other]);
}
