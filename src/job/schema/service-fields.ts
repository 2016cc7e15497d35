import { z } from 'zod';
import { keyVariable } from '../read-key.ts';
import { Price } from './budget-fields.ts';
import { isServiceUrl } from './field-checks.ts';
import { group, localPath, text } from './fields.ts';
import { Share, shareVariable } from './share-fields.ts';

const expectedKey = `the name of an environment variable, as in \${${keyVariable}}`;

export const Service = group({
  url: text()
    .refine(isServiceUrl, 'embedded, or an http(s) address without user name, password, ? or #')
    .optional()
    .describe(
      'Address of the Company Data Service, or `embedded`: the bundled service over the sample data, free and offline, which is said wherever it answers. DOSSIER_URL comes first.',
    ),
  key: z
    .string(expectedKey)
    .regex(/^\$\{[A-Za-z_]\w*\}$/, `${expectedKey}: a key itself does not belong in a job file`)
    .optional()
    .describe(
      `Which environment variable holds the key; \`\${${keyVariable}}\` when absent. The key itself may not stand here.`,
    ),
  keyFile: localPath('the path of a file')
    .optional()
    .describe('File that holds the key and nothing else, instead of `key`.'),
  share: Share.optional().describe(
    `Redis through which runs on other machines share the rate and the answers of this key: its address, or the keys below. A secret: better \`\${${shareVariable}}\` than the address itself. ${shareVariable} comes first; set and empty, it turns sharing off. Absent: nothing is shared.`,
  ),
  price: Price.optional().describe(
    'What the service charges for a request. With it, plans, runs, reports and `dossier spend` tell money, too.',
  ),
});
