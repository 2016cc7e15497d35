import { classifyAnswer } from '../http/classify-answer.ts';
import type { Provider } from '../provider.ts';
import { readIdentifiers } from '../read-identifiers.ts';
import { buildRequests } from './build-request.ts';
import { nameNetwork } from './network-name.ts';
import { readPeoplePage } from './people-page.ts';
import { presumedCompany } from './presumed-company.ts';
import { problems } from './problem.ts';

const ownAnswers = {
  people: readPeoplePage,
  pathUnknown: String(problems.PATH_UNKNOWN.error),
  companyUnknown: String(problems.COMPANY_UNKNOWN.error),
};

/** The interface that `dossier serve` serves too. It has a parameter for each kind. */
export const companyData: Provider = {
  takes: () => true,
  requests: buildRequests,
  judge: (call, response, hasEverFound) => classifyAnswer(call, response, hasEverFound, ownAnswers),
  presumed: presumedCompany,
  identifiers: readIdentifiers,
  people: readPeoplePage,
  record: nameNetwork,
  version: { judging: '', record: '' },
};
