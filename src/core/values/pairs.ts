/** If lengths differed, a row could be stored with the id of another row. */
export function pairs<One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): (readonly [One, Other])[] {
  if (ones.length !== others.length) {
    throw new Error(`cannot pair ${ones.length} values with ${others.length}`);
  }
  return ones.map((one, index) => [one, others[index] as Other]);
}
