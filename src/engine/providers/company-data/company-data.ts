import type { Provider } from '../provider.ts';
import { buildRequests } from './build-request.ts';
import { classifyAnswer } from './classify-answer.ts';
import { readIdentifiers } from './identifiers.ts';
import { nameNetwork } from './network-name.ts';
import { readPeoplePage } from './people-page.ts';

/** The interface that `dossier serve` serves too. It has a parameter for each kind. */
export const companyData: Provider = {
  takes: () => true,
  requests: buildRequests,
  judge: classifyAnswer,
  identifiers: readIdentifiers,
  people: readPeoplePage,
  record: nameNetwork,
  version: { judging: '', record: '' },
};
