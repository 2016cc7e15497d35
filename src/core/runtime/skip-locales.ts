import nodeModule from 'node:module';

/**
 * Keeps zod from loading its messages in sixty languages. zod imports English, the only one used,
 * separately.
 */
export function skipLocales(): void {
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '../locales/index.js'
        ? { url: 'data:text/javascript,', shortCircuit: true }
        : next(specifier, context),
  });
}
