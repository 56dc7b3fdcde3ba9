import fastify from 'fastify';
import { expect, test } from 'vitest';
import { sampleService } from './reading-sample.fixture.ts';

test('/docs is the Swagger UI over the documents of the server, which it names without holding them', async () => {
  const app = fastify();
  sampleService().openApi.registerDocs(app);
  const page = await app.inject('/docs');
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-type']).toContain('text/html');
  const script = await app.inject('/docs/static/swagger-initializer.js');
  const dynamic = '/space/main/SoftType/dynamic/softtype.openApi';
  for (const url of [dynamic, '/api/openApi/system', '/api/openApi/collection', '/api/openApi/space']) {
    expect(script.body).toContain(url);
  }
  expect(script.body).not.toContain('documentInput');
  for (const asset of ['swagger-ui-bundle.js', 'swagger-ui.css']) {
    expect((await app.inject(`/docs/static/${asset}`)).statusCode).toBe(200);
  }
  expect((await app.inject('/docs/static/index.html')).statusCode).toBe(404);
  await app.close();
});
