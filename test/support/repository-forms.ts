import { z } from 'zod';

const id = z.string().regex(/^[A-Za-z0-9_-]+$/);
const text = z.string().min(1);
const validations = z.strictObject({ required: z.boolean() }).optional();
const label = { label: text, description: text.optional() };
const field = { ...label, placeholder: text.optional(), value: text.optional() };

const Element = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('markdown'),
    attributes: z.strictObject({ value: text }),
  }),
  z.strictObject({
    type: z.literal('input'),
    id,
    attributes: z.strictObject(field),
    validations,
  }),
  z.strictObject({
    type: z.literal('textarea'),
    id,
    attributes: z.strictObject({ ...field, render: text.optional() }),
    validations,
  }),
  z.strictObject({
    type: z.literal('checkboxes'),
    id,
    attributes: z.strictObject({
      ...label,
      options: z.array(z.strictObject({ label: text, required: z.boolean().optional() })).min(1),
    }),
  }),
]);

/** An issue form, as far as ours go; GitHub shows nothing at all of a form with a mistake. */
export const IssueForm = z.strictObject({
  name: text,
  description: text.max(200),
  labels: z.array(text),
  body: z
    .array(Element)
    .refine((elements) => elements.some(({ type }) => type !== 'markdown'), 'asks for nothing')
    .refine((elements) => areDistinct(elements.flatMap((one) => ('id' in one ? [one.id] : []))), {
      error: 'an id stands twice',
    })
    .refine(
      (elements) =>
        areDistinct(
          elements.flatMap(({ attributes }) => ('label' in attributes ? [attributes.label] : [])),
        ),
      { error: 'a label stands twice' },
    ),
});

/** What stands beside the forms where somebody chooses one. */
export const FormChooser = z.strictObject({
  blank_issues_enabled: z.boolean(),
  contact_links: z.array(z.strictObject({ name: text, about: text, url: z.url() })),
});

const updateTypes = z.array(z.enum(['major', 'minor', 'patch'])).optional();

/** The settings of Dependabot that we use. */
export const Dependabot = z.strictObject({
  version: z.literal(2),
  updates: z.array(
    z.strictObject({
      'package-ecosystem': z.enum(['npm', 'github-actions', 'docker']),
      directory: z.literal('/'),
      schedule: z.strictObject({ interval: z.enum(['daily', 'weekly', 'monthly']) }),
      groups: z
        .record(
          z.string(),
          z.strictObject({
            'dependency-type': z.enum(['production', 'development']).optional(),
            patterns: z.array(text).optional(),
            'update-types': updateTypes,
          }),
        )
        .optional(),
      ignore: z
        .array(
          z.strictObject({
            'dependency-name': text,
            'update-types': z.array(z.enum(['version-update:semver-major'])),
          }),
        )
        .optional(),
      'commit-message': z.strictObject({ prefix: text.max(50) }),
    }),
  ),
});

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
