import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is served at a path below /docs. */
export interface DocsPage {
  readonly path: string;
  /** Media type. */
  readonly type: string;
  readonly contentOf: () => Promise<string | Buffer>;
}

const types = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const html = 'text/html; charset=utf-8';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API</title>
<link rel="icon" href="/docs/static/favicon-32x32.png">
<link rel="stylesheet" href="/docs/static/swagger-ui.css">
<div id="swagger-ui"></div>
<script src="/docs/static/swagger-ui-bundle.js"></script>
<script src="/docs/static/swagger-ui-standalone-preset.js"></script>
<script src="/docs/static/swagger-initializer.js"></script>
</html>
`;

/**
 * Swagger UI at /docs. The package carries four of its files (`npm run build`): whoever depends on the whole of it, and on what serves it,
 * takes 13 MB for them.
 */
export function docsPages(documents: readonly { readonly url: string; readonly name: string }[]): readonly DocsPage[] {
  const initializer = `window.onload = () => {
  window.ui = SwaggerUIBundle({
    dom_id: '#swagger-ui',
    urls: ${JSON.stringify(documents).replaceAll('<', '\\u003c')},
    deepLinking: true,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    layout: 'StandaloneLayout',
  });
};
`;
  const script = types['swagger-ui-bundle.js'];
  return [
    ...['/docs', '/docs/'].map((path) => ({ path, type: html, contentOf: async () => page })),
    { path: '/docs/static/swagger-initializer.js', type: script, contentOf: async () => initializer },
    ...Object.entries(types).map(([name, type]) => ({
      path: `/docs/static/${name}`,
      type,
      contentOf: () => readFile(assetPath(name)),
    })),
  ];
}

/** Where the sources run, the files are those of the package that the build takes them from. */
function assetPath(name: string): string {
  if (!import.meta.url.endsWith('.ts')) return fileURLToPath(new URL(`../../../swagger-ui/${name}`, import.meta.url));
  return join(createRequire(import.meta.url).resolve('@fastify/swagger-ui'), '..', 'static', name);
}
