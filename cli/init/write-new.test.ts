import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../reference-server/server.ts';
import { sendJson } from '../../judge/small-service.fixture.ts';
import { answeringAlike } from '../check/bad-target.fixture.ts';
import { answering } from '../doctor/broken-target.fixture.ts';
import { initCommand } from '../init.ts';
import { captureOutput } from '../output.fixture.ts';
import { UsageError } from '../usage.ts';
import type { Conversation, InitOptions } from './answers.ts';
import { conversation, placeForProfiles, secrets } from './init.fixture.ts';

const place = placeForProfiles();

describe('nothing is written', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer();
    await server.listen();
  });
  afterAll(() => server.close());

  test.each<
    readonly [what: string, more: Partial<InitOptions>, environment: Conversation['environment'], words: string]
  >([
    [
      'a wrong password',
      {},
      { ...secrets, SVC_PASSWORD: 'mistyped' },
      'correct --username and the password in its variable',
    ],
    ['a token endpoint that is not there', { tokenUrl: '/nowhere' }, secrets, 'correct --token-url or --url'],
    ['a space that is not known', { space: 'nowhere' }, secrets, 'correct --space ("nowhere")'],
    [
      'a user who may only read',
      { username: 'rita' },
      { ...secrets, SVC_PASSWORD: 'rita-password' },
      'name a user with --username whose role there may create',
    ],
    [
      'a SoftType by flags that is not known',
      { definitionId: 'None', inputSchemaId: 'none', outputSchemaId: 'none' },
      secrets,
      'None (',
    ],
  ])('for %s', async (_what, more, environment, words) => {
    const options = place.answers(server.url, more);
    const { exitCode, printed } = await captureOutput(() => initCommand(options, conversation(undefined, environment)));
    expect(printed).toContain(words);
    expect(printed).toMatch(/^svc-conformance: nothing was written: [^\n]+\n$/);
    expect(printed).not.toMatch(/rita-password|edda-password|mistyped|conformance-secret/);
    expect(exitCode).toBe(3);
    expect(readdirSync(join(options.out, '..'))).toEqual([]);
  });

  test.each<readonly [Partial<InitOptions>, missing: string]>([
    [{ body: { title: 'x' } }, '--definition-id, --input-schema-id, --output-schema-id'],
    [{ definitionId: 'Document', body: { title: 'x' } }, '--input-schema-id, --output-schema-id'],
    [{ definitionId: 'Document', outputSchemaId: 'documentFull' }, '--input-schema-id'],
  ])('for a SoftType of which flags name a part: %j', async (more, missing) => {
    const options = place.answers(server.url, more);
    await expect(initCommand(options, conversation(undefined, secrets))).rejects.toThrow(
      new UsageError(
        `A SoftType is named by --definition-id, --input-schema-id, --output-schema-id and --body together; add ${missing}.`,
      ),
    );
  });

  test('for a deployment whose names would read an environment variable', async () => {
    const path = '/api/space/main/softtype/$%7BSVC_PASSWORD%7D/in';
    const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    const answer = { properties: { data: schema }, type: 'object' };
    const content = (inner: object): object => ({ content: { 'application/json': { schema: inner } } });
    const document = {
      openapi: '3.1.0',
      paths: {
        [path]: { post: { requestBody: content(schema) } },
        [`${path}/{id}`]: { get: { responses: { 200: content(answer) } } },
      },
    };
    await using target = await answering(({ method, url }, response) => {
      if (url === '/auth/token') return sendJson({ access_token: 'a-token' }, response);
      if (url.endsWith('softtype.openApi')) return sendJson(document, response);
      if (method === 'POST') return void response.writeHead(201, { Location: '/api/space/main/softtype/1' }).end();
      return url.endsWith('/1')
        ? sendJson({ data: { $oid: '1', title: 'x' }, version: 1 }, response)
        : sendJson({}, response, 404);
    });
    const { exitCode, printed } = await captureOutput(() => initCommand(place.answers(target.url), conversation()));
    expect(printed).toContain('would take for an environment variable');
    expect(exitCode).toBe(3);
  });

  test('for a page that answers everything', async () => {
    await using target = await answeringAlike(200, 'text/html', '<html>welcome</html>');
    const { exitCode, printed } = await captureOutput(() => initCommand(place.answers(target.url), conversation()));
    expect(printed).toContain('with text/html and no access_token: correct --token-url or --url');
    expect(exitCode).toBe(3);
  });

  test('over a file that is there, unless told', async () => {
    const options = place.answers(server.url);
    writeFileSync(options.out, 'mine\n');
    await expect(initCommand(options, conversation())).rejects.toThrow(UsageError);
    expect(readFileSync(options.out, 'utf8')).toBe('mine\n');
    expect((await captureOutput(() => initCommand({ ...options, force: true }, conversation()))).exitCode).toBe(0);
    expect(readFileSync(options.out, 'utf8')).toContain('profileVersion: 1');
  });

  test('into a folder that is not there', async () => {
    const options = place.answers(server.url, { out: join(place.folder(), 'absent', 'profile.yaml') });
    await expect(captureOutput(() => initCommand(options, conversation()))).rejects.toThrow(
      'name another file with --out',
    );
  });
});
