import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startExtensionHost, type ExtensionHostOptions } from '../host.ts';
import {
  calling,
  controlling,
  linksAt,
  playService,
  type Callback,
  type PlayedService,
  type Reaction,
} from '../service.fixture.ts';

interface Run {
  readonly input?: string | Buffer;
  readonly reaction?: Reaction;
  readonly taskSettings?: object;
  readonly timeout?: number;
  readonly links?: (links: ReturnType<typeof linksAt>) => readonly object[];
  readonly host?: ExtensionHostOptions;
}

/** Runs one task to its last report. */
async function task(
  run: Run,
  check: (service: PlayedService, status: string, report: Record<string, unknown>) => Promise<void> | void,
): Promise<void> {
  await using service = await playService(run.input ?? 'één\ntwo\n', run.reaction);
  await using host = await startExtensionHost(run.host);
  const links = linksAt(service.url, 'job-1', 'secret');
  const payload = {
    timeout: run.timeout ?? 20,
    taskSettings: run.taskSettings ?? {},
    links: run.links?.(links) ?? links,
  };
  const answer = await calling(host.url)('task', {
    id: 'job-1',
    accessToken: 'secret',
    baseAddress: service.url,
    payload,
  });
  expect(answer.status).toBe(200);
  await expect.poll(() => service.matching(/^PUT .*status/).length).toBe(1);
  const [report] = service.matching(/^PUT .*status/);
  await check(service, report?.target ?? '', JSON.parse(report?.body.toString() ?? 'null'));
}

const statusOf = (target: string): string => target.split('?')[0]?.split('/').at(-1) ?? '';
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

describe('a task', () => {
  test('sends a large result in chunks that give the result again', () =>
    task(
      { input: 'x'.repeat(250_000), taskSettings: { operation: 'copy', chunkSize: 100_000 } },
      async (service, status) => {
        expect(statusOf(status)).toBe('Completed');
        const chunks = service.matching(/^POST .*\/fs\/file$/);
        const forms = await Promise.all(
          chunks.map(({ body, headers }) =>
            new Response(new Uint8Array(body), {
              headers: { 'content-type': headers['content-type'] ?? '' },
            }).formData(),
          ),
        );
        expect(forms.map((form) => form.get('resumableChunkNumber'))).toEqual(['1', '2', '3']);
        expect(forms.map((form) => form.get('resumableCurrentChunkSize'))).toEqual(['100000', '100000', '50000']);
        expect(forms[0]?.get('resumableRelativePath')).toBe('in/list é.job-1.result.csv');
        const parts = await Promise.all(
          forms.map(async (form) => Buffer.from(await (form.get('file') as File).arrayBuffer())),
        );
        expect(Buffer.concat(parts).toString()).toBe('x'.repeat(250_000));
        expect(chunks.map(({ headers }) => headers['checksum'])).toEqual(parts.map(md5));
      },
    ));

  test.for([
    [99_999, 'stream'],
    [100_000, 'chunks'],
  ] as const)('with a result of %i bytes uses %s', ([size, way]) =>
    task({ input: 'x'.repeat(size), taskSettings: { operation: 'copy' } }, (service) => {
      expect(service.matching(/^POST .*\/fs\/file$/)).toHaveLength(way === 'chunks' ? 1 : 0);
      expect(service.matching(/^POST .*stream.*result/)).toHaveLength(way === 'stream' ? 1 : 0);
    }),
  );

  test.for<[string, Run, string]>([
    ['is told to fail', { taskSettings: { fail: 'on purpose' } }, 'The task failed: on purpose'],
    [
      'has no input',
      { reaction: ({ method }, response) => (method === 'GET' ? (response.writeHead(404).end(), true) : undefined) },
      'was answered 404',
    ],
    [
      'is redirected for ever',
      {
        reaction: ({ method, target }, response) =>
          method === 'GET' ? (response.writeHead(302, { Location: target }).end(), true) : undefined,
      },
      'redirected more than',
    ],
    [
      'is redirected to a file',
      {
        reaction: ({ method }, response) =>
          method === 'GET' ? (response.writeHead(302, { Location: 'file:///etc/passwd' }).end(), true) : undefined,
      },
      'http or https',
    ],
    [
      'has a file as input',
      {
        links: (links) =>
          links.map((link) => (link.id === 'inputFile' ? { ...link, url: 'file:///etc/passwd' } : link)),
      },
      'http or https',
    ],
    ['has no input link', { links: (links) => links.filter(({ id }) => id !== 'inputFile') }, ''],
    [
      'gets an input that breaks off',
      {
        reaction: ({ method }, response) =>
          method === 'GET'
            ? (response.writeHead(200, { 'Content-Length': 10 }).write('half'),
              setTimeout(() => response.destroy(), 20),
              true)
            : undefined,
      },
      '',
    ],
    [
      'cannot upload',
      {
        reaction: ({ method, target }, response) =>
          method === 'POST' && target.includes('result') ? (response.writeHead(409).end(), true) : undefined,
      },
      'was answered 409',
    ],
  ])('that %s ends as Failed with a log', async ([, run, problem]) =>
    task(run, (service, status, report) => {
      expect(statusOf(status)).toBe('Failed');
      expect(report['outputFilePath']).toBeUndefined();
      if (problem !== '') expect(service.matching(/^POST .*log/)[0]?.body.toString()).toContain(problem);
    }),
  );

  test.for([
    ['is refused', 20, (response: ServerResponse) => void response.writeHead(409).end()],
    ['is not answered', 1, () => undefined],
  ] as const)('deletes what is there of a result whose second chunk %s', ([, timeout, answer]) => {
    let chunks = 0;
    const isChunk = ({ method, target }: Callback): boolean => method === 'POST' && target.endsWith('/fs/file');
    return task(
      {
        input: 'x'.repeat(250_000),
        taskSettings: { operation: 'copy', chunkSize: 100_000 },
        timeout,
        reaction: (callback, response) =>
          isChunk(callback) && (chunks += 1) === 2 ? (answer(response), true) : undefined,
      },
      (service, status) => {
        expect(statusOf(status)).toBe('Failed');
        const [deletion] = service.matching(/^DELETE /);
        expect(decodeURI(deletion?.target ?? '')).toBe('/api/space/main/fs/file/in/list é.job-1.result.csv');
      },
    );
  });

  test('is canceled where its settings say so', () =>
    task({ taskSettings: { cancel: true } }, (_service, status) => expect(statusOf(status)).toBe('Canceled')));

  test('sends its token to no other origin', async () => {
    await using elsewhere = await playService('moved');
    const reaction: Reaction = ({ method }, response) =>
      method === 'GET' ? (response.writeHead(302, { Location: `${elsewhere.url}/there` }).end(), true) : undefined;
    const links: Run['links'] = (links) =>
      links.map((link) => ({ ...link, url: link.url.replace('?token=secret', '') }));
    await task({ reaction, links }, (service) => {
      expect(service.matching(/^GET/)[0]?.headers.authorization).toBe('Bearer secret');
      expect(elsewhere.callbacks.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    });
  });
});

test('a report that gets lost is sent again, on the clock of the host', async () => {
  let refused = 0;
  await using service = await playService('x', ({ target }, response) =>
    target.includes('status') && refused++ < 2 ? (response.writeHead(503).end(), true) : undefined,
  );
  await using host = await startExtensionHost({ control: true });
  await calling(host.url)('task', {
    id: 'a',
    accessToken: 't',
    baseAddress: service.url,
    payload: { links: linksAt(service.url, 'a', 't') },
  });
  await expect.poll(() => refused).toBe(1);
  const ask = controlling(host);
  await ask('POST', 'clock', { by: 2000 });
  await ask('POST', 'clock', { by: 4000 });
  await expect.poll(() => service.matching(/status\/Completed/).length).toBe(3);
});

test('what is under way ends with the host', async () => {
  await using service = await playService('', ({ method }) => (method === 'GET' ? true : undefined));
  const host = await startExtensionHost();
  await calling(host.url)('task', {
    id: 'a',
    accessToken: 't',
    baseAddress: service.url,
    payload: { links: linksAt(service.url, 'a', 't') },
  });
  await expect.poll(() => service.matching(/^GET/).length).toBe(1);
  await host.close();
  expect(service.matching(/status/)).toEqual([]);
});
