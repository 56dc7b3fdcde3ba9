import { describe, expect, onTestFinished, test } from 'vitest';
import type { Need } from '../../../contract/needs.ts';
import { fileProfile, fileStore } from '../../files/file-store.fixture.ts';
import { objectStore, smallService, type Handle } from '../../small-service.fixture.ts';
import { Base } from '../base.ts';

const key = Buffer.from('key').toString('base64');

/** A service with objects and files; `answers` are statuses by the start of a path. */
async function baseOn(
  answers: Readonly<Record<string, number>>,
  needs: readonly Need[],
  more = '',
): Promise<Base & { readonly asked: () => readonly string[] }> {
  const [objects, files] = [objectStore(), fileStore()];
  const handle: Handle = (request, response, message) => {
    const status = Object.entries(answers).find(([start]) => request.url.startsWith(start))?.[1];
    if (status !== undefined) return void response.writeHead(status).end();
    return (/\/fs\//.test(request.url) ? files : objects)(request, response, message);
  };
  const small = await smallService(handle);
  const profile = fileProfile(small.url, more);
  const { secondSpace: _none, ...rest } = profile.profile;
  const base = new Base(
    { loaded: { ...profile, profile: rest }, seed: 1 },
    new AbortController().signal,
    new Set(needs),
  );
  onTestFinished(() => base.close());
  return Object.assign(base, {
    asked: () =>
      small.arrived.filter(({ url }) => /fs|fileupload/.test(url)).map(({ method, url }) => `${method} ${url}`),
  });
}

describe('file areas', () => {
  test('that take a file and give it back are no news, and keep nothing', async () => {
    const base = await baseOn({}, ['file-area-any']);
    expect(await base.preflight()).toBeUndefined();
    expect(base.asked()).toHaveLength(12);
    expect(base.booked().filter(({ uri }) => uri.includes('/fs/'))).toEqual([]);
  });

  test('are tried only as far as a rule of the run needs them', async () => {
    expect(await (await baseOn({ '/api/collection/fs': 403 }, ['file-area-space'])).preflight()).toBeUndefined();
    const base = await baseOn({ '/api/space/main/fs': 403 }, []);
    expect(await base.preflight()).toBeUndefined();
    expect(base.asked()).toEqual([]);
  });

  test.each([401, 403])('that answer %i are named with what to change', async (status) => {
    const base = await baseOn({ '/api/space/main/participant/owner/fs': status }, ['file-area-any']);
    const sentence = `answered ${status}: let the identity editor use the participant area, or name another one in files.areas.participant.as`;
    expect(await base.preflight()).toContain(sentence);
  });

  test('that answer 403 are left out where a rule of the run is blocked without them', async () => {
    const base = await baseOn({ '/api/space/main/fs': 403 }, ['file-area-any', 'file-area-space']);
    expect(await base.preflight()).toBeUndefined();
    expect(base.unusable()).toEqual({ 'file-area-space': expect.stringContaining('let the identity editor use') });
    expect(Object.keys(base.completed().files?.areas ?? {})).not.toContain('space');
  });

  test.each([400, 404, 405, 409, 500, 503])('that answer %i are left to the rules', async (status) => {
    expect(await (await baseOn({ '/api/space/main/fs': status }, ['file-area-space'])).preflight()).toBeUndefined();
  });
});

describe('the host directory', () => {
  const bulk = (path: string): string => `bulk: { adminApiKey: ${key}, hostDirectory: { path: ${path} } }\n`;

  test.each([401, 403])('is tried by a bulk upload, whose answer %i is named with what to change', async (status) => {
    const base = await baseOn({ '/admin/fileupload': status }, ['host-directory', 'admin-api-key'], bulk('/tmp'));
    expect(await base.preflight()).toBeUndefined();
    expect(base.unusable()['host-directory']).toMatch(new RegExp(`answered ${status}: correct bulk\\.adminApiKey`));
  });

  test.each([200, 400, 404, 405, 500])('is left to the rules when that answers %i', async (status) => {
    const base = await baseOn({ '/admin/fileupload': status }, ['host-directory', 'admin-api-key'], bulk('/tmp'));
    expect(await base.preflight()).toBeUndefined();
    expect(base.unusable()).toEqual({});
  });

  test('is left to the rules where the key opens the collection and not the space', async () => {
    const answers = { '/admin/fileupload/': 401, '/admin/fileupload': 200 };
    const base = await baseOn(answers, ['host-directory', 'admin-api-key'], bulk('/tmp'));
    expect(await base.preflight()).toBeUndefined();
    expect(base.unusable()).toEqual({});
  });

  test('has to be writable for the suite', async () => {
    const base = await baseOn({}, ['host-directory'], bulk('/nowhere/at/all'));
    expect(await base.preflight()).toBeUndefined();
    expect(base.unusable()['host-directory']).toMatch(
      /the run needs to make a directory in \/nowhere\/at\/all .*correct bulk\.hostDirectory/,
    );
  });

  test('is not asked for without a rule that needs it, or where the profile has none', async () => {
    expect(await (await baseOn({}, [], bulk('/nowhere/at/all'))).preflight()).toBeUndefined();
    expect(await (await baseOn({}, ['host-directory', 'admin-api-key'])).preflight()).toBeUndefined();
  });
});
