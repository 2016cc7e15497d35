import { z } from 'zod';
import { flag, text } from './fields.ts';

export const Person = z
  .looseObject({
    person_id: z.string().min(1).describe('Identifier of the person.'),
    position: text('Position title.'),
    company_name: text('Name of the company.'),
    network: text("Slug of the person's profile on a professional network."),
    has_email: flag('A work e-mail exists.'),
    has_personal_email: flag('A personal e-mail exists.'),
    has_phone: flag('A phone number exists.'),
    has_dnd_phone: flag('A do-not-disturb phone exists.'),
    has_mobile: flag('A mobile number exists.'),
  })
  .describe('A person who was found; the flags say only that a channel exists.')
  .meta({ id: 'Person' });

export type Person = z.output<typeof Person>;
