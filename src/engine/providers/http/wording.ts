// Every `problemText` below was split into words by `spellOut`.

/** The word "credit" alone is not enough: "Sunrise Credit Union is not in this country". */
export function speaksOfQuota(problemText: string): boolean {
  return spentBefore.test(problemText) || spentAfter.test(problemText);
}

const lacking =
  'no|zero|0|insufficient|not enough|out of|over|low|lacks?|exceed(?:s|ed|ing)?|exhausted|used(?: up)?|spent';
const ofWhich =
  'a|all|any|api|available|daily|enough|free|lookup|monthly|more|of|on|prepaid|remaining|search|the|your';
const andThen = 'and|at|available|balance|for|in|left|on|please|remaining|this|to';

/** "Insufficient credits", "no more API credit left", "out of quota" */
const spentBefore = new RegExp(
  `\\b(?:${lacking})(?: (?:${ofWhich}))* (?:credits?|quotas?)(?=$|\\s*[^\\w\\s]| (?:${andThen})\\b)`,
  'i',
);

const hasBeen =
  'all|allowance|already|are|balance|been|day|for|has|have|is|limit|month|period|plan|the|this|usage|was|were|your';
const atItsEnd =
  'depleted|empty|exceeded|exhausted|expired|finished|gone|insufficient|left|over|reached|remaining|required|spent|too low|used';

/** "Monthly quota exceeded", "your credit balance is too low", "QUOTA_LIMIT_REACHED" */
const spentAfter = new RegExp(
  `\\b(?:credits?|quotas?)(?: (?:${hasBeen}))* (?:${atItsEnd})\\b`,
  'i',
);

export function speaksOfThrottling(problemText: string): boolean {
  return /\b429\b|\brate.?limit|\btoo many requests\b|\bthrottl/i.test(problemText);
}

export function saysNothingFound(problemText: string): boolean {
  // "API key not found" does not mean a missing company.
  if (/\b(key|token|account|route|endpoint)\b/i.test(problemText)) return false;
  return (
    /(\bnot|\bcannot|n't) (be )?(found|find)\b|\bnotfound\b/i.test(problemText) ||
    /\bno (\w+ ){0,3}(match(es|ed|ing)?|found|results?|records?)\b/i.test(problemText)
  );
}

export function speaksOfRecord(problemText: string): boolean {
  return (
    /\b(compan(y|ies)|records?|profiles?|organi[sz]ations?|business(es)?|persons?|people)\b/i.test(
      problemText,
    ) || /\bno (\w+ ){0,3}(match(es|ed|ing)?|results?)\b/i.test(problemText)
  );
}

/** For example `Cannot GET /company`. */
export function speaksOfAddress(problemText: string): boolean {
  return /\b(routes?|endpoints?)\b|\bcannot (get|post)\b|\b(get|post)\W+\//i.test(problemText);
}

/** `COMPANY_NOT_FOUND → COMPANY NOT FOUND`, `notFound → not Found` */
export function spellOut(problemText: string): string {
  return problemText.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_\s]+/g, ' ');
}
