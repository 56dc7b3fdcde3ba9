import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Service } from '../service.ts';
import { staticCategories, staticDocument } from './static.ts';

/**
 * Swagger UI at /docs, over the static definitions and those of every space. The page itself is open; the documents
 * stay behind their own access, so that a browser asks for user name and personal access token.
 */
export function registerDocs(app: FastifyInstance, service: Service): void {
  let docs: Promise<FastifyInstance> | undefined;
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    docs ??= docsOf(service);
    const { routing } = await docs;
    reply.hijack();
    routing(request.raw, reply.raw);
  };
  app.get('/docs', handler);
  app.get('/docs/*', handler);
}

/** Made for the first visitor only: its files take longer to read than the server takes to start. */
async function docsOf(service: Service): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const docs = fastify();
  // Stands in for @fastify/swagger, which would collect schemas of routes: here the documents exist already.
  docs.decorate('swagger', () => staticDocument('system'));
  const options = { routePrefix: '/docs', uiConfig: { urls: documentUrls(service) } };
  docs.register((scope) => swaggerUi(scope, options, () => undefined));
  await docs.ready();
  return docs;
}

function documentUrls(service: Service): { readonly url: string; readonly name: string }[] {
  const spaces = [...service.configuration.spaces.values()].map(({ id, name }) => ({
    url: `/space/${encodeURIComponent(id)}/SoftType/dynamic/softtype.openApi`,
    name,
  }));
  const categories = staticCategories.map((category) => ({
    url: `/api/openApi/${category}`,
    name: `${category} (static)`,
  }));
  return [...spaces, ...categories];
}
