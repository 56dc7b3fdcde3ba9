import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Puts the files of Swagger UI (Apache License 2.0, SmartBear Software) that /docs serves beside the program: `npm run build` calls it.
const from = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static');
const to = fileURLToPath(new URL('../../dist/swagger-ui', import.meta.url));
const license = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'LICENSE');
mkdirSync(to, { recursive: true });
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'favicon-32x32.png'])
  copyFileSync(join(from, name), join(to, name));
// the text of the same license, which the package above does not carry
copyFileSync(license, join(to, 'LICENSE'));
