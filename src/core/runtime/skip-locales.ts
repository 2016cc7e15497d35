import nodeModule from 'node:module';

/** zod loads its messages in sixty languages. We use only English, which it imports by itself. */
export function skipLocales(): void {
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '../locales/index.js'
        ? { url: 'data:text/javascript,', shortCircuit: true }
        : next(specifier, context),
  });
}
