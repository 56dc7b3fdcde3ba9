import module from 'node:module';

// Loaded ahead of all tests of a thread, which Node itself loads. It keeps compiled code from run to run, finds the package by the name
// by which examples import it, and takes JSON from whoever imports it as bundlers do.
module.enableCompileCache();
module.registerHooks({
  resolve(specifier, context, next) {
    const own = /^svc-conformance(?:\/(.*))?$/.exec(specifier);
    const name = own === null ? specifier : new URL(`../api/${own[1] ?? 'index'}.ts`, import.meta.url).href;
    const found = next(name, context);
    return found.url.endsWith('.json') ? { ...found, importAttributes: { type: 'json' } } : found;
  },
});
