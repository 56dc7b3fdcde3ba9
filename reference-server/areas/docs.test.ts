import { expect, test } from 'vitest';
import { sampleService } from './reading-sample.fixture.ts';

test('/docs is the Swagger UI over the documents of the server, which it names without holding them', async () => {
  const pages = new Map(
    sampleService()
      .openApi.docsPages()
      .map((page) => [page.path, page]),
  );
  const contentAt = async (path: string): Promise<string> => String(await pages.get(path)?.contentOf());
  expect(pages.get('/docs')?.type).toContain('text/html');
  expect(await contentAt('/docs')).toContain('<!doctype html>');
  const script = await contentAt('/docs/static/swagger-initializer.js');
  const dynamic = '/space/main/SoftType/dynamic/softtype.openApi';
  for (const url of [dynamic, '/api/openApi/system', '/api/openApi/collection', '/api/openApi/space'])
    expect(script).toContain(url);
  expect(script).not.toContain('documentInput');
  for (const asset of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    expect((await contentAt(`/docs/static/${asset}`)).length).toBeGreaterThan(1000);
  expect(pages.has('/docs/static/index.html')).toBe(false);
});
