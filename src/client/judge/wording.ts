/** What services say in their own words. All three take text whose `_` and `camelCase` are spaces. */

export function speaksOfQuota(said: string): boolean {
  return /\b(credits?|quotas?)\b/i.test(said);
}

export function speaksOfThrottling(said: string): boolean {
  return /\b429\b|\brate.?limit|\btoo many requests\b|\bthrottl/i.test(said);
}

export function saysNothingFound(said: string): boolean {
  // "API key not found" is about us, and "route not found" about the address.
  if (/\b(key|token|account|route|endpoint)\b/i.test(said)) return false;
  return (
    /(\bnot|\bcannot|n't) (be )?(found|find)\b|\bnotfound\b/i.test(said) ||
    /\bno (\w+ ){0,3}(match(es|ed|ing)?|found|results?|records?)\b/i.test(said)
  );
}

/** `COMPANY_NOT_FOUND → COMPANY NOT FOUND`, `notFound → not Found` */
export function spellOut(said: string): string {
  return said.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_\s]+/g, ' ');
}
