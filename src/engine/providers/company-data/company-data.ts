import type { IdentifierKind } from '../../../core/contract/identifier-kinds.ts';
import type { Provider } from '../provider.ts';
import { buildRequests } from './build-request.ts';
import { classifyAnswer } from './classify-answer.ts';
import { readIdentifiers } from './identifiers.ts';
import { nameNetwork } from './network-name.ts';
import { readPeoplePage } from './people-page.ts';

const taken: Record<IdentifierKind, boolean> = {
  id: true,
  abn: true,
  fqdn: true,
  website: true,
  ln_slug: true,
  ln_url: true,
};

/** The interface that `dossier serve` serves too. */
export const companyData: Provider = {
  takes: (kind) => taken[kind],
  requests: buildRequests,
  judge: classifyAnswer,
  identifiers: readIdentifiers,
  people: readPeoplePage,
  record: nameNetwork,
  version: { judging: '', record: '' },
};
