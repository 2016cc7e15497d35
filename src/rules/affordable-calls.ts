/**
 * How many more calls may be made, so that each can have all its attempts: calls that are cut short by the
 * budget stay open, and the same ones at every start would keep a job from ever going on. One call alone
 * may be made in any case.
 */
export function affordableCalls(
  { left }: { readonly left: number },
  callsInFlight: number,
  attempts: number,
): number {
  const calls = Math.floor((left - callsInFlight * (attempts - 1)) / attempts);
  return Math.max(callsInFlight === 0 ? 1 : 0, calls);
}
