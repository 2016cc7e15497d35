import { paramsAt, putParams, useParams } from '../shell/address.ts';
import { type Choice, choiceIn, paramsOf } from './choice.ts';

export type ChangeChoice = (part: Partial<Choice>, change?: { readonly isStep: boolean }) => void;

export function useChoice(): readonly [Choice, ChangeChoice] {
  return [choiceIn(useParams()), changeChoice];
}

const changeChoice: ChangeChoice = (part, { isStep } = { isStep: true }) =>
  // From the address and not from the last drawing: two changes may come before the next one.
  putParams(paramsOf({ ...choiceIn(paramsAt(location.hash)), ...part }), { isStep });
