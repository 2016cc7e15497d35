const abnWeights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19] as const;
const acnWeights = [8, 7, 6, 5, 4, 3, 2, 1] as const;
const zero = 48;

/** Checks 11 digits. The two check digits stand first and are 11 to 99. */
export function hasAbnCheckDigits(digits: string): boolean {
  // 10 and 99 are congruent modulo 89, and only 99 is ever given as check digits.
  if (digits < '11') return false;
  return (weightedSum(digits, abnWeights) - abnWeights[0]) % 89 === 0;
}

/** Checks nine digits. The check digit stands last. */
export function hasAcnCheckDigit(digits: string): boolean {
  const expected = (10 - (weightedSum(digits, acnWeights) % 10)) % 10;
  return digits.charCodeAt(8) - zero === expected;
}

/** The ABN of a company is its ACN after two check digits: `065475149 → 47065475149`. */
export function abnOfAcn(acn: string): string {
  const rest = weightedSum(`00${acn}`, abnWeights) % 89;
  return `${99 - rest}${acn}`;
}

function weightedSum(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < weights.length; index += 1) {
    sum += (digits.charCodeAt(index) - zero) * (weights[index] ?? 0);
  }
  return sum;
}
