import type { FastifyInstance } from 'fastify';
import type { Service } from '../service.ts';
import { staticCategories, staticDocument } from './static.ts';

/**
 * Swagger UI at /docs, over the static definitions and those of every space. The page itself is open; the documents stay behind their own
 * access, so that a browser asks for user name and personal access token. Loaded on demand: it takes longer to load than the server.
 */
export async function registerDocs(app: FastifyInstance, service: Service): Promise<void> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const options = { routePrefix: '/docs', uiConfig: { urls: documentUrls(service) } };
  await app.register((scope: FastifyInstance) => {
    // Stands in for @fastify/swagger, which would collect schemas of routes: here the documents exist already.
    scope.decorate('swagger', () => staticDocument('system'));
    return swaggerUi(scope, options, () => undefined);
  });
}

function documentUrls(service: Service): { readonly url: string; readonly name: string }[] {
  const spaces = service.configuration.spaces.values().map(({ id, name }) => ({ url: `/space/${encodeURIComponent(id)}/SoftType/dynamic/softtype.openApi`, name }));
  const categories = staticCategories.map((category) => ({ url: `/api/openApi/${category}`, name: `${category} (static)` }));
  return [...spaces, ...categories];
}
