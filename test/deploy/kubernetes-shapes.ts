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
    emptyDir: z.strictObject({ sizeLimit: z.string() }).optional(),
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

const Rule = z.strictObject({
  action: z.enum(['Ignore', 'FailJob', 'Count']),
  onPodConditions: z
    .array(z.strictObject({ type: z.string(), status: z.literal('True') }))
    .optional(),
  onExitCodes: z
    .strictObject({
      containerName: z.string(),
      operator: z.literal('In'),
      values: z.array(z.int().positive()).min(1),
    })
    .optional(),
});
const RunContainer = z.strictObject({
  name: z.string(),
  image: z.string(),
  command: z.tuple([z.literal('/bin/sh'), z.literal('-c'), z.string(), z.literal('dossier')]),
  args: z.tuple([z.literal('run')], z.string()),
  env: Env,
  resources: z.unknown(),
  securityContext: ContainerSecurity,
  volumeMounts: VolumeMounts,
});
const Pod = z.strictObject({
  // A policy of failures is refused with any other.
  restartPolicy: z.literal('Never'),
  terminationGracePeriodSeconds: z.int().min(40),
  serviceAccountName: z.string().optional(),
  automountServiceAccountToken: z.literal(false),
  securityContext: PodSecurity,
  containers: z.tuple([RunContainer]),
  volumes: Volumes,
});
export const CronJob = z.strictObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('CronJob'),
  metadata: Named,
  spec: z.strictObject({
    schedule: z.string().regex(/^(\S+ ){4}\S+$/),
    timeZone: z.string(),
    concurrencyPolicy: z.literal('Forbid'),
    startingDeadlineSeconds: z.int(),
    successfulJobsHistoryLimit: z.int(),
    failedJobsHistoryLimit: z.int(),
    jobTemplate: z.strictObject({
      spec: z.strictObject({
        backoffLimit: z.int(),
        activeDeadlineSeconds: z.int().max(86_400),
        podReplacementPolicy: z.literal('Failed'),
        podFailurePolicy: z.strictObject({ rules: z.array(Rule) }),
        template: z.strictObject({ spec: Pod }),
      }),
    }),
  }),
});
/** Of jobs. */
export const ConfigMap = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('ConfigMap'),
  metadata: Named,
  data: z.strictObject({ 'nightly.yaml': z.string() }),
});

/** The documents of a manifest, as the YAML 1.1 of kubectl reads it: 0440 is octal. */
export function readManifest(path: string): unknown[] {
  return parseAllDocuments(readSource(path), { version: '1.1' }).map((document) => document.toJS());
}
