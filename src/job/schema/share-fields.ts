import { z } from 'zod';
import { isAddress, isAddressOrVariable, redisAddress } from '../read-address.ts';
import { byteSize, duration, group } from './fields.ts';

/** Names the Redis for all jobs of a machine. */
export const shareVariable = 'DOSSIER_SHARE';

const expectedFlag = `an ${redisAddress.name}`;
const expectedAddress = `${expectedFlag}, or a variable that holds one`;

/** The address of a Redis as a flag. */
export const ShareFlag = z
  .string(expectedFlag)
  .refine((written) => isAddress(written, redisAddress), expectedFlag);

function address() {
  return z
    .string(expectedAddress)
    .refine((written) => isAddressOrVariable(written, redisAddress), expectedAddress);
}

/** How long answers stay, and how many, of which a job says nothing. */
export const defaultShare = { keepCompanies: '1d', keepPeople: '1h', memory: '256MB' } as const;

export const Share = z.union(
  [
    address(),
    group({
      url: address().describe(
        `Address of the Redis: \`redis://user:password@host:6379/0\`, or \`rediss://\` for TLS. A secret: better \`\${${shareVariable}}\` than the address itself.`,
      ),
      keepCompanies: duration({ min: '1s', max: '30d' })
        .default(defaultShare.keepCompanies)
        .describe('How long answers about companies stay in Redis after they were fetched.'),
      keepPeople: duration({ min: '1s', max: '30d' })
        .default(defaultShare.keepPeople)
        .describe(
          'The same for answers to people searches, which are personal data: no longer than runs need to find them.',
        ),
      memory: byteSize({ min: '1MB', max: '1TB' })
        .default(defaultShare.memory)
        .describe('How many bytes of answers may lie in Redis for this service and key.'),
    }),
  ],
  `${expectedAddress}; or {url: …, keepCompanies: …, keepPeople: …, memory: …}`,
);
