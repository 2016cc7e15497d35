import { z } from 'zod';

/** docs/json.md is generated from the descriptions. */
export const string = (about: string) => z.string().describe(about);
export const stringOrNull = (about: string) => z.string().nullable().describe(about);
export const count = (about: string) => z.int().nonnegative().describe(about);
export const countOrNull = (about: string) => z.int().nonnegative().nullable().describe(about);
export const time = (about: string) => z.iso.datetime().describe(about);
export const timeOrNull = (about: string) => z.iso.datetime().nullable().describe(about);
export const yesOrNo = (about: string) => z.boolean().describe(about);
export const strings = (about: string) => z.array(z.string()).describe(about);
export const counts = (about: string) => z.record(z.string(), z.int()).describe(about);
export const numberOrNull = (about: string) => z.number().nullable().describe(about);
