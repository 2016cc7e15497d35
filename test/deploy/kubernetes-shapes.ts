import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readSource } from './deploy-files.ts';

/* The fields of the Kubernetes API that several examples use, as its reference has them. */

export const Named = z.strictObject({ name: z.string() });

export const Env = z.array(
  z.union([
    z.strictObject({ name: z.string(), value: z.string() }),
    z.strictObject({
      name: z.string(),
      valueFrom: z.strictObject({
        secretKeyRef: z.strictObject({
          ...{ name: z.string(), key: z.string(), optional: z.literal(true).optional() },
        }),
      }),
    }),
  ]),
);

export const ContainerSecurity = z.strictObject({
  allowPrivilegeEscalation: z.literal(false),
  readOnlyRootFilesystem: z.literal(true),
  capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
});

export const VolumeMounts = z.array(
  z.strictObject({
    name: z.string(),
    mountPath: z.string(),
    readOnly: z.boolean().default(false),
  }),
);

export const PodSecurity = z.strictObject({
  runAsNonRoot: z.literal(true),
  runAsUser: z.int().positive(),
  runAsGroup: z.int().positive(),
  fsGroup: z.int().positive(),
  fsGroupChangePolicy: z.literal('OnRootMismatch'),
  seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
});

export const Volumes = z.array(
  z.strictObject({
    name: z.string(),
    persistentVolumeClaim: z.strictObject({ claimName: z.string() }).optional(),
    configMap: Named.optional(),
    secret: z
      .strictObject({
        secretName: z.string(),
        defaultMode: z.literal(0o440),
        items: z.array(z.strictObject({ key: z.string(), path: z.string() })).optional(),
      })
      .optional(),
  }),
);

export const ClaimSpec = z.strictObject({
  accessModes: z.tuple([z.literal('ReadWriteOnce')]),
  resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
});

/** The documents of a manifest, as the YAML 1.1 of kubectl reads it: 0440 is octal. */
export function readManifest(path: string): unknown[] {
  return parseAllDocuments(readSource(path), { version: '1.1' }).map((document) => document.toJS());
}
