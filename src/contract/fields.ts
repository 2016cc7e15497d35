import { z } from 'zod';

/*
 * The interface does not say which fields of an answer may be absent or null, so every field may be
 * both. Each helper takes the sentence that documents the field.
 */
export const text = (about: string) => z.string().nullish().describe(about);
export const whole = (about: string) => z.int().nullish().describe(about);
export const decimal = (about: string) => z.number().nullish().describe(about);
export const flag = (about: string) => z.boolean().nullish().describe(about);
export const texts = (about: string) => z.array(z.string()).nullish().describe(about);
export const textMap = (about: string) =>
  z.record(z.string(), z.string()).nullish().describe(about);

/** An object that keeps fields unknown to the interface: data that was paid for is not dropped. */
export const part = <Shape extends z.ZodRawShape>(shape: Shape, about: string) =>
  z.looseObject(shape).nullish().describe(about);
