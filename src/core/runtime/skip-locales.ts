import nodeModule from 'node:module';

/** zod loads messages in sixty languages. English comes from a separate import. */
export function skipLocales(): void {
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '../locales/index.js'
        ? { url: 'data:text/javascript,', shortCircuit: true }
        : next(specifier, context),
  });
}
