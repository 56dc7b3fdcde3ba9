import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { envelopeIn, onStage, record, type Stage } from './calls-host.fixture.ts';

interface Link {
  readonly id: string;
  readonly method: string;
  readonly url: string;
}

interface Scene extends Stage {
  readonly token: string;
  /** Asks as the task does: with the token of the envelope, unless other headers are given. */
  follow(id: string, change?: (url: string) => string, init?: RequestInit): Promise<Response>;
}

/** A task whose input is in place. */
async function withTask(inputPath: string, work: (scene: Scene) => Promise<void>): Promise<void> {
  await onStage(async (stage) => {
    await stage.register([record('task', 'ExternalTask')]);
    await upload(stage.server.url, inputPath, 'a;b');
    await stage.ask('edda', 'POST', '/api/space/main/dx', { recordId: 'task', inputPath });
    const { accessToken: token, payload } = envelopeIn((await stage.calls(1))[0]);
    const links = payload['links'] as readonly Link[];
    const follow: Scene['follow'] = (id, change = (url) => url, init = {}) => {
      const link = links.find((each) => each.id === id);
      if (link === undefined) throw new Error(`no link ${id}`);
      return fetch(change(link.url), { method: link.method, headers: { authorization: `Bearer ${token}` }, ...init });
    };
    await work(Object.assign(stage, { token, follow }));
  });
}

/** As a client that prepares a task. */
async function upload(baseUrl: string, path: string, content: string): Promise<void> {
  const headers = {
    authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
    checksum: md5(content),
    'content-type': 'text/csv',
  };
  const url = `${baseUrl}/api/space/main/fs/file/stream/${encoded(path)}`;
  expect((await fetch(url, { method: 'POST', headers, body: content })).status).toBe(201);
}

function encoded(path: string): string {
  return path.split('/').filter(Boolean).map(encodeURIComponent).join('/');
}

function md5(content: string): string {
  return createHash('md5').update(content).digest('hex');
}

const bare = { headers: {} };

test.each(['in/list é.csv', 'list.csv', '/in/deep/#1 & co.csv'])(
  'every link of a task on %s can be followed',
  (inputPath) =>
    withTask(inputPath, async ({ follow, token, ...stage }) => {
      const directory = inputPath.split('/').filter(Boolean).slice(0, -1);
      const beside = (name: string): string => [...directory, name].join('/');
      expect(await (await follow('inputFile', undefined, bare)).text()).toBe('a;b');
      expect((await follow('inputFile', (url) => url.replace(/\?.*/, ''), bare)).status).toBe(401);
      expect(await (await follow('inputDir')).text()).toContain(inputPath.split('/').at(-1));

      const streamed = { headers: { authorization: `Bearer ${token}`, checksum: md5('one') }, body: 'one' };
      expect((await follow('uploadFileStream', (url) => `${url}/one.txt`, streamed)).status).toBe(201);
      expect((await follow('uploadFile', undefined, chunk(beside('two.txt'), 'two', token))).ok).toBe(true);

      for (const [name, content] of [
        ['one.txt', 'one'],
        ['two.txt', 'two'],
      ] as const) {
        const path = encoded(beside(name));
        expect(await (await follow('content', (url) => url.replace('{path}', path))).text()).toBe(content);
        expect(await (await follow('downloadFile', (url) => url.replace('{path}', path) + token, bare)).text()).toBe(
          content,
        );
        expect((await follow('downloadFile', (url) => url.replace('{path}', path), bare)).status).toBe(401);
      }

      const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      expect((await follow('taskProgress', undefined, { headers: json, body: '{"message":"half"}' })).status).toBe(204);
      const body = JSON.stringify({ outputFilePath: beside('one.txt') });
      expect(
        (await follow('taskStatus', (url) => url.replace('{status}', 'Completed'), { headers: json, body })).status,
      ).toBe(204);
      const job = (await (
        await stage.ask('edda', 'GET', `/api/space/main/dx/${envelopeIn(stage.arrived[0]).id}`)
      ).json()) as { outputFileHref: string };
      expect(await (await stage.ask('edda', 'GET', job.outputFileHref)).text()).toBe('one');
    }),
);

/** The only chunk of a file. */
function chunk(path: string, content: string, token: string): RequestInit {
  const form = new FormData();
  const parts = {
    resumableTotalSize: content.length,
    resumableChunkNumber: 1,
    resumableChunkSize: 4_194_304,
    resumableCurrentChunkSize: content.length,
    resumableTotalChunks: 1,
    resumableType: 'text/plain',
    resumableFilename: path.split('/').at(-1),
    resumableRelativePath: path,
  };
  for (const [name, value] of Object.entries(parts)) form.append(name, String(value));
  form.append('file', new Blob([content]), parts.resumableFilename);
  return { headers: { authorization: `Bearer ${token}`, checksum: md5(content) }, body: form };
}

test('a task may be scheduled ahead of its input', () =>
  onStage(async ({ register, ask, calls, server }) => {
    await register([record('task', 'ExternalTask')]);
    expect((await ask('edda', 'POST', '/api/space/main/dx', { recordId: 'task', inputPath: 'later.csv' })).status).toBe(
      201,
    );
    const { payload } = envelopeIn((await calls(1))[0]);
    const { url = '' } = (payload['links'] as readonly Link[]).find(({ id }) => id === 'inputFile') ?? {};
    expect((await fetch(url)).status).toBe(404);
    await upload(server.url, 'later.csv', 'x');
    expect(await (await fetch(url)).text()).toBe('x');
  }));
