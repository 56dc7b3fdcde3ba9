import { describe, expect, test } from 'vitest';
import { basic, callOf, sample } from './auth-sample.fixture.ts';

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
