import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { variablesOf } from '../curl/variables.ts';
import { fileProfile } from './file-store.fixture.ts';
import { waitForNames } from './bulk-uploads.ts';
import { openContext } from '../case/open-context.ts';
import { CaseRecord } from '../case/record.ts';
import { signatureOver } from '../service/signature.ts';
import { sendJson, smallService } from '../small-service.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { sessionFor } from '../run/session.fixture.ts';

const key = Buffer.from('a key of some length').toString('base64');

async function sceneWith(bulk: object, base = '') {
  const small = await smallService((_request, response) => sendJson({}, response));
  const session = sessionFor(fileProfile(small.url + base, `bulk: ${JSON.stringify(bulk)}\n`));
  const record = new CaseRecord(true);
  return { small, session, record, ...openContext(session, { name: 'test', seed: 1, record }) };
}

describe('a bulk upload', () => {
  test('is signed with the prefix that the profile has', async () => {
    const { small, bulk } = await sceneWith({ adminApiKey: key, routePrefix: '/api' });
    await bulk.upload('space', {});
    expect(small.arrived.at(-1)).toMatchObject({
      url: '/api/admin/fileupload/main',
      headers: expect.arrayContaining([
        ['Authorization', `Bearer ${signatureOver(key, '/api/admin/fileupload/main')}`],
      ]),
    });
  });

  test.each([
    [true, '/tenants/acme/admin/fileupload/main'],
    [false, '/admin/fileupload/main'],
  ])('is signed with the path of the base URL where the profile says so: %s', async (told, signed) => {
    const { small, bulk } = await sceneWith({ adminApiKey: key, signatureIncludesBasePath: told }, '/tenants/acme');
    await bulk.upload('space', {});
    expect(small.arrived.at(-1)).toMatchObject({
      url: '/tenants/acme/admin/fileupload/main',
      headers: expect.arrayContaining([['Authorization', `Bearer ${signatureOver(key, signed)}`]]),
    });
  });

  test('may carry another signature, or none', async () => {
    const { small, bulk } = await sceneWith({ adminApiKey: key });
    const authorization = () => small.arrived.at(-1)?.headers.find(([name]) => name === 'Authorization')?.[1];
    const other = Buffer.from('another').toString('base64');
    await bulk.upload('space', {}, { key: other, signed: '/elsewhere' });
    expect(authorization()).toBe(`Bearer ${signatureOver(other, '/elsewhere')}`);
    await bulk.upload('space', {}, { signature: 'abc' });
    expect(authorization()).toBe('Bearer abc');
    await bulk.upload('space', {}, { signature: null });
    expect(authorization()).toBeUndefined();
    await bulk.upload('space', {}, { as: 'editor', signature: null });
    expect(authorization()).toBe('Bearer editor-token-0815');
  });

  test.runIf(existsSync('/usr/bin/openssl'))('tells how a reader of a report signs', async () => {
    const { session } = await sceneWith({ adminApiKey: key });
    const { BULK_SIGNATURE_PARTICIPANT: line = '' } = variablesOf(session.loaded);
    const printed = execFileSync('/bin/sh', ['-c', `${line}; printf %s "$BULK_SIGNATURE_PARTICIPANT"`], {
      env: { PATH: '/usr/bin:/bin', ADMIN_API_KEY: key },
    });
    expect(printed.toString()).toBe(signatureOver(key, '/admin/fileupload/main/owner'));
  });

  test('shows neither key nor signature', async () => {
    const { bulk, session } = await sceneWith({ adminApiKey: key });
    const signature = bulk.signatureOf(key, bulk.path('space'));
    expect(session.secrets.redact(`${key} ${signature}`)).toBe('$ADMIN_API_KEY $BULK_SIGNATURE_SPACE');
  });
});

describe('a source directory', () => {
  test('holds the files, is named as the service sees it, and is gone after the case', async () => {
    const mountedAt = makeFolder();
    const { given, record } = await sceneWith({ hostDirectory: { path: '/on/the/host/', mountedAt } });
    const source = await given.sourceDirectory({ 'b/c/d.bin': Uint8Array.of(0, 255), a: Buffer.from('x') });
    expect(await source.names()).toEqual(['a', 'b/c/d.bin']);
    expect(await source.read('b/c/d.bin')).toEqual(Uint8Array.of(0, 255));
    const [name = ''] = await readdir(mountedAt);
    expect(source.path).toBe(`/on/the/host/${name}`);
    await record.end();
    expect(existsSync(join(mountedAt, name))).toBe(false);
    expect(await readdir(mountedAt)).toEqual([]);
  });

  test('that cannot be made stops the case and names the key', async () => {
    const { given } = await sceneWith({ hostDirectory: { path: '/nowhere/at/all' } });
    await expect(given.sourceDirectory({})).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('correct bulk.hostDirectory'),
    });
  });
});

test('an upload that goes on is not over, and one that stands still is', async () => {
  const context = await sceneWith({ adminApiKey: key, completionSeconds: 0.2 });
  let left = 6;
  const going = setInterval(() => (left -= 1), 100);
  const directory = { names: async () => Array.from({ length: Math.max(left, 2) }, (_name, index) => `${index}.bin`) };
  const source = { directory } as unknown as Parameters<typeof waitForNames>[1];
  expect(await waitForNames(context, source, (names) => names.length === 2)).toHaveLength(2);
  expect(await waitForNames(context, source, (names) => names.length === 0)).toHaveLength(2);
  clearInterval(going);
});
