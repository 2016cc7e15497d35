import { quickRandomFor } from '../../fixtures/generate/random.ts';
import { disturbed } from '../../fixtures/generate/register/disturb-name.ts';
import { registerEntities } from '../../fixtures/generate/register/register-entities.ts';
import { openRegister } from '../../src/register/open-register.ts';

/** Names a second of CPU, after the pages that they need have been read once. */
export function measureSpeed(path: string, records: number, exact: number, close: number) {
  using register = openRegister(path);
  const random = quickRandomFor('speed');
  const step = Math.max(1, Math.floor(records / exact));
  const names: string[] = [];
  let at = 0;
  for (const { name, type } of registerEntities(records)) {
    at += 1;
    if (type !== 'IND' && at % step === 0) names.push(name);
  }
  const perSecond = (questions: readonly string[], ask: (name: string) => unknown) => {
    for (const name of questions) ask(name);
    const startedAt = process.cpuUsage();
    for (const name of questions) ask(name);
    const { user, system } = process.cpuUsage(startedAt);
    return questions.length / ((user + system) / 1e6);
  };
  const misspelt = names.slice(0, close).map((name) => disturbed(name, 'letter', random));
  return {
    exact: perSecond(names, (name) => register.resolve(name)),
    close: perSecond(misspelt, (name) => register.suggest(name)),
  };
}
