import { z } from 'zod';
import { isAddressOrVariable, webAddress } from '../read-address.ts';
import { choice, group, oneOrMany } from './fields.ts';

const expectedAddress = 'an http(s) address, or a variable that holds one';

function address() {
  return z
    .string(expectedAddress)
    .refine((written) => isAddressOrVariable(written, webAddress), expectedAddress);
}

const variable = `\${SLACK_WEBHOOK}`;

export const Notify = group({
  url: address().describe(
    `Address that one JSON message is posted to when a run ends, with a \`text\` that chat webhooks show. A secret: better \`${variable}\` than the address itself.`,
  ),
  on: oneOrMany(choice(['finished', 'failed', 'expectation']), 'finished, failed or expectation')
    .default(['finished', 'failed', 'expectation'])
    .describe(
      'Which ends are told: `finished` is exit code 0 and 3, `expectation` 4, `failed` every other.',
    ),
});

export const Heartbeat = address().describe(
  'Address of a monitor, asked (GET) with `/start` behind it when a run has taken its job, as it is when it finished (0 and 3), with `/<exit code>` otherwise. A secret, as `notify.url` is.',
);
