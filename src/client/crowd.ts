/** Somebody in a crowd, who knows where, so that leaving takes no search. */
export interface Member {
  place: number;
}

/**
 * Those who wait for the same event, in no order. An array, because a Set that is old keeps what was
 * long taken out of it from being collected.
 */
export type Crowd<One extends Member> = One[];

/** A newcomer's place is wherever the crowd ends. */
export function join<One extends Member>(crowd: Crowd<One>, newcomer: One): void {
  newcomer.place = crowd.length;
  crowd.push(newcomer);
}

/** Whether it was there. The last one takes its place. */
export function leave<One extends Member>(crowd: Crowd<One>, member: One): boolean {
  if (crowd[member.place] !== member) return false;
  const last = crowd.pop();
  if (!last || last === member) return true;
  last.place = member.place;
  crowd[last.place] = last;
  return true;
}
