import fc, { array, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseContext } from '../case.ts';
import { openContext } from '../case/open-context.ts';
import { CaseRecord } from '../case/record.ts';
import { cleanUp, CleanUpTime } from '../run/clean-up.ts';
import type { Session } from '../run/session.ts';
import { smallService, sendJson, type Handle, type SmallService } from '../small-service.fixture.ts';
import { fileProfile, fileStore } from './file-store.fixture.ts';
import { formOf } from './bodies.ts';
import { sessionFor } from '../run/session.fixture.ts';

interface Scene extends CaseContext {
  readonly small: SmallService;
  readonly session: Session;
}

async function sceneOn(handle: Handle): Promise<Scene> {
  const small = await smallService(handle);
  const session = sessionFor(fileProfile(small.url));
  return { small, session, ...openContext(session, { name: 'test', seed: 1, record: new CaseRecord(true) }) };
}

const echo: Handle = (_request, response) => sendJson({}, response);
const last = ({ small }: Scene) => small.arrived.at(-1);
const header = (scene: Scene, name: string) =>
  last(scene)?.headers.find(([found]) => found.toLowerCase() === name.toLowerCase())?.[1];

describe('paths', () => {
  test('go out percent-encoded, segment by segment', async () => {
    const scene = await sceneOn(echo);
    await fc.assert(
      fc.asyncProperty(
        array(string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 3 }),
        async (segments) => {
          await scene.files.download(
            scene.files.area('collection'),
            segments.map((segment) => segment.replaceAll('/', '-')).join('/'),
          );
          const sent = last(scene)?.url.split('/').slice(5) ?? [];
          expect(sent.map(decodeURIComponent)).toEqual(segments.map((segment) => segment.replaceAll('/', '-')));
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each(['a/../../x', '%2e%2e/x', 'a%2Fb', './/x', 'a?b=%00'])(
    'that are raw go out as they stand: %s',
    async (path) => {
      const scene = await sceneOn(echo);
      const { files } = scene;
      await files.upload(files.area('collection'), path, Buffer.from('x'), { raw: true });
      expect(last(scene)?.url).toBe(`/api/collection/fs/file/stream/${path}`);
      await files.download(files.area('collection'), path, { raw: true });
      expect(last(scene)?.url).toBe(`/api/collection/fs/file/${path}`);
      await files.directory(files.area('collection'), path, { raw: true });
      expect(last(scene)?.url).toBe(`/api/collection/fs/dir/${path}`);
    },
  );
});

describe('a stream upload', () => {
  test('carries checksum and type unless told otherwise', async () => {
    const scene = await sceneOn(echo);
    const { files } = scene;
    await files.upload(files.area('collection'), 'a.bin', Buffer.from('abc'));
    expect([header(scene, 'checksum'), header(scene, 'content-type')]).toEqual([
      '900150983cd24fb0d6963f7d28e17f72',
      'application/octet-stream',
    ]);
    await files.upload(files.area('collection'), 'a.bin', Buffer.from('abc'), { checksum: null, contentType: null });
    expect([header(scene, 'checksum'), header(scene, 'content-type')]).toEqual([undefined, undefined]);
    await files.upload(files.area('collection'), 'a.bin', Buffer.alloc(0), { checksum: 'x', contentType: 'text/x' });
    expect([header(scene, 'checksum'), header(scene, 'content-type'), header(scene, 'content-length')]).toEqual([
      'x',
      'text/x',
      '0',
    ]);
  });
});

describe('a chunk', () => {
  const chunk = { path: 'd/ü "x".bin', file: Buffer.from('0123456789'), chunkSize: 4, number: 3 };

  /** Name -> content of each part, as any reader of forms sees them. */
  async function partsOf(scene: Scene): Promise<readonly (readonly [string, string])[]> {
    const form = await new Response(new Uint8Array(last(scene)?.body ?? []), {
      headers: { 'Content-Type': header(scene, 'content-type') ?? '' },
    }).formData();
    return Promise.all(
      [...form].map(
        async ([name, value]) =>
          [name, typeof value === 'string' ? value : `${value.name}: ${await value.text()}`] as const,
      ),
    );
  }

  test('leaves parts out, changes and orders them', async () => {
    const scene = await sceneOn(echo);
    const parts = { resumableType: null, resumableTotalSize: '7' };
    await scene.files.chunk(scene.files.area('collection'), {
      ...chunk,
      bytes: Buffer.from('other'),
      parts,
      fileName: 'f',
      order: ['file', 'resumableTotalChunks'],
    });
    const sent = await partsOf(scene);
    expect(sent.slice(0, 3)).toEqual([
      ['file', 'f: other'],
      ['resumableTotalChunks', '3'],
      ['resumableTotalSize', '7'],
    ]);
    expect(sent.some(([name]) => name === 'resumableType')).toBe(false);
  });

  test('has a boundary that its content does not have', () => {
    const first = formOf([{ name: 'a', text: 'x' }]);
    const [, boundary = ''] = first.contentType.split('boundary=');
    const second = formOf([{ name: 'a', text: `x${boundary}` }]);
    expect(Buffer.from(second.body).indexOf(`--${second.contentType.split('boundary=')[1]}`)).toBe(0);
    expect(second.contentType).not.toBe(first.contentType);
  });
});

describe('a download', () => {
  test('may carry its token in the query and nowhere else', async () => {
    const scene = await sceneOn(echo);
    const { files } = scene;
    await files.download(files.area('collection'), 'a b', { token: 'query' });
    expect([last(scene)?.url, header(scene, 'authorization')]).toEqual([
      '/api/collection/fs/file/a%20b?token=editor-token-0815',
      undefined,
    ]);
    await files.download(files.area('collection'), 'a', { token: { text: 'x&y' } });
    expect(last(scene)?.url).toBe('/api/collection/fs/file/a?token=x%26y');
  });

  test('may use Basic', async () => {
    const scene = await sceneOn(echo);
    await scene.files.download(scene.files.area('collection'), 'a', scene.files.basic('editor'));
    expect(header(scene, 'authorization')).toBe(`Basic ${Buffer.from('edda:the-pat-of-edda').toString('base64')}`);
    expect(() => scene.files.basic('reader')).toThrow(/identities\.reader\.username/);
  });
});

describe('files of a case', () => {
  test('are deleted in the end, whoever owns them, but for those that are gone', async () => {
    const scene = await sceneOn(fileStore());
    const { files, given, session, service } = scene;
    const { path } = await given.file({ area: files.area('collection') });
    await given.file({ area: files.area('user'), path, bytes: given.bytes(3) });
    const gone = await given.file();
    await files.remove(gone.area, gone.path);
    await files.chunk(files.area('space'), { path: 'c/d', file: Buffer.from('x'), chunkSize: 1, number: 1 });
    await files.upload(files.area('user'), path, Buffer.from('y'));
    const booked = session.bookings.booked();
    expect(booked.map(({ uri }) => uri.replace(scene.small.url, ''))).toEqual([
      `/api/collection/fs/file/${path}`,
      `/api/space/main/user/fs/file/${path}`,
      '/api/space/main/fs/file/c/d',
    ]);
    using time = new CleanUpTime();
    expect(await cleanUp(service, booked, time, session.profile.all)).toEqual([]);
    expect((await files.download(files.area('collection'), path)).status).toBe(404);
  });

  test('stay as evidence where their case did not pass', async () => {
    const { given, session } = await sceneOn(fileStore());
    await given.file();
    session.bookings.keep('test', 'the case failed');
    expect(session.bookings.booked()).toMatchObject([{ keepBecause: 'the case failed' }]);
  });

  test('hold the same bytes for the same seed, others for each call', async () => {
    const [first, second] = [await sceneOn(echo), await sceneOn(echo)];
    const bytes = first.given.bytes(40);
    expect(second.given.bytes(40)).toEqual(bytes);
    expect(first.given.bytes(40)).not.toEqual(bytes);
  });

  test('that are refused stop the case without blaming its rule', async () => {
    const { given } = await sceneOn((_request, response) => void response.writeHead(507).end());
    await expect(given.file()).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      standsOn: expect.arrayContaining(['files.stream.checksum-correct-accepted']),
    });
  });
});
