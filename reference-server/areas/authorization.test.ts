import { describe, expect, test } from 'vitest';
import type { Route } from '../http/route.ts';
import { basic, callOf, sample } from './auth-sample.fixture.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Identity -> methods that the space main allows it. `reader` holds two roles: GET by one, POST by the other. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  editor: methods,
  reader: ['GET', 'POST'],
  outsider: [],
  nobody: [],
  administrator: [],
};

describe.each(Object.keys(allowed))('%s', (name) => {
  const outcome = (access: Route['access'], method: string, spaceId: string): number => {
    const { service, configuration } = sample();
    const user = configuration.users.get(name);
    if (user === undefined) throw new Error(`no user ${name}`);
    return statusOf(() => service.auth.authorize(user, access, callOf({ method, params: { spaceId } })));
  };

  test.each(methods)('%s on a space', (method) => {
    expect(outcome('space', method, 'main')).toBe(allowed[name]?.includes(method) ? 200 : 403);
    expect(outcome('space', method, 'depot')).toBe(name === 'outsider' ? 200 : 403);
    for (const unknown of ['nowhere', '', 'constructor', 'MAIN']) expect(outcome('space', method, unknown)).toBe(404);
  });

  test.each(methods)('%s on a collection route', (method) => {
    expect(outcome('collection', method, '')).toBe(name === 'administrator' ? 200 : 403);
    expect(outcome('user', method, '')).toBe(200);
  });
});

describe('credentials', () => {
  const accepted = [
    'Bearer svcpat-editor',
    'bearer svcpat-editor',
    'BEARER   svcpat-editor',
    basic('editor', 'svcpat-editor'),
    basic('editor', 'svcpat-editor').replace('Basic', 'bAsIc'),
  ];
  const refused = [
    'Bearer svcpat-edito',
    'Bearer svcpat-editors',
    'Bearer Svcpat-editor',
    'Bearer editor-password',
    'Bearer',
    'Bearer ',
    '',
    'svcpat-editor',
    'Digest svcpat-editor',
    'Bearer svcpat-editor, Bearer svcpat-editor',
    'Bearer svcpat editor',
    'Bearer ..',
    'Bearer a.b.c',
    'Bearer undefined',
    basic('editor', 'editor-password'),
    basic('reader', 'svcpat-editor'),
    basic('Editor', 'svcpat-editor'),
    basic('', 'svcpat-editor'),
    basic('editor', ''),
    'Basic svcpat-editor',
    'Basic',
  ];

  test.each(accepted)('%s is the editor', async (authorization) => {
    const { service } = sample();
    expect(await service.auth.authenticate(callOf({ headers: { authorization } }))).toMatchObject({
      name: 'editor',
    });
  });

  test.each(refused)('"%s" is nobody: 401 with a challenge that names the error', async (authorization) => {
    const { service } = sample();
    const answer = service.auth.authenticate(callOf({ headers: { authorization } }));
    await expect(answer).rejects.toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': expect.stringContaining('error="invalid_token"') },
    });
  });

  test('that are missing: 401 with a challenge without error', async () => {
    const { service } = sample();
    const challenge = 'Bearer realm="svc", Basic realm="svc", charset="UTF-8"';
    await expect(service.auth.authenticate(callOf())).rejects.toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': challenge },
    });
  });
});

function statusOf(work: () => void): number {
  try {
    work();
    return 200;
  } catch (error) {
    return error instanceof Error && 'status' in error ? Number(error.status) : 500;
  }
}
