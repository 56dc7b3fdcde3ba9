import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import { headerNames } from '../../contract/names.ts';
import { callbackHeaders, joinUrl } from '../../simulator/extension/call.ts';
import type { Outgoing } from '../../simulator/extension/client.ts';
import { encodedPath, fileUrlOf, inputPathOf, linkOf } from '../../simulator/extension/task/links.ts';
import type { TaskSettings, Upload } from '../../simulator/extension/task/task.ts';
import { together } from './breaks.ts';
import { breaks, type Freedom, type HostVariant } from './choice.ts';
import { requesting, withoutHeader } from './wire-choices.ts';

const madeUp = Buffer.from('name;amount\nmade;1\n');
const pauseMs = 2000;
const uploadAttempts = 3;

/** How a host may work on tasks. */
export const taskFreedoms: readonly Freedom[] = [
  {
    open: 'extensions: Callbacks from an external task, row progress: how often, and which messages',
    choices: [
      {
        meets: 'tasks report no progress',
        by: breaks('reports', 'reportProgress', () => async () => undefined),
        mayNotShow: ['tasks.host.progress'],
      },
      {
        meets: 'tasks report progress many times, with any message and more than that',
        by: together(
          breaks('reports', 'reportProgress', (right) => async (task, message, signal) => {
            for (const text of ['', 'ä\n\u{1F600}', message, message.repeat(50)]) await right(task, text, signal);
          }),
          breaks('reports', 'progressBody', () => (message) => ({ percent: 12.5, message, step: null })),
        ),
      },
      {
        meets: 'tasks report progress beside their work',
        by: breaks('reports', 'reportProgress', (right) => {
          return async (task, message, signal) => {
            void right(task, message, signal).catch(() => undefined);
          };
        }),
      },
    ],
  },
  {
    open: 'task-link-templates',
    choices: [
      {
        meets: 'the input is asked for with a bearer token, and none in the query',
        by: breaks('tasks', 'inputRequest', (right) => async (task, signal) => {
          const { url } = await right(task, signal);
          return {
            url: url.replace(/([?&])token=[^&]*&?/, '$1').replace(/[?&]$/, ''),
            headers: callbackHeaders(task.id, task.token),
          };
        }),
      },
      {
        meets: 'the input is asked for with its token twice',
        by: breaks('tasks', 'inputRequest', (right) => async (task, signal) => ({
          ...(await right(task, signal)),
          headers: callbackHeaders(task.id, task.token),
        })),
      },
      {
        meets: 'the input is asked for by the content link',
        by: breaks('tasks', 'inputRequest', () => async ({ id, token, links }) => {
          const path = inputPathOf(links);
          return { url: fileUrlOf(linkOf(links, 'content'), path, path), headers: callbackHeaders(id, token) };
        }),
      },
      {
        meets: 'the input is asked for by the link for downloads, after a look into its directory',
        by: breaks('tasks', 'inputRequest', (_right, { surroundings }) => async ({ id, token, links }, signal) => {
          const headers = callbackHeaders(id, token);
          await surroundings.client.demand({ method: 'GET', url: linkOf(links, 'inputDir').url, headers }, signal);
          const path = inputPathOf(links);
          const url = linkOf(links, 'downloadFile').url.replace('{path}', encodedPath(path));
          return { url: url + encodeURIComponent(token), headers: { 'X-Correlation-Id': id } };
        }),
      },
    ],
  },
  {
    open: 'download-metadata-headers',
    choices: [
      {
        meets: 'HEAD comes before the download',
        by: breaks('client', 'download', (right, client) => async (url, headers, signal, take) => {
          await client.send({ method: 'HEAD', url, headers }, signal);
          return right(url, headers, signal, take);
        }),
      },
      {
        meets: 'HEAD comes before the download, and has to be well',
        by: breaks('client', 'download', (right, client) => async (url, headers, signal, take) => {
          await client.demand({ method: 'HEAD', url, headers }, signal);
          return right(url, headers, signal, take);
        }),
      },
      {
        meets: 'a range is asked for that holds everything',
        by: breaks(
          'client',
          'download',
          (right) => (url, headers, signal, take) =>
            right(url, { ...headers, Range: 'bytes=0-', 'If-None-Match': '"none"' }, signal, take),
        ),
      },
    ],
  },
  {
    open: 'extensions: External task links, row inputFile (input or output): whether a task has an input, and a result',
    choices: [
      {
        meets: 'tasks make up the file that is not there',
        by: breaks('client', 'download', (right, client) => async (url, headers, signal, take) => {
          const { statusCode, body } = await client.request({ method: 'GET', url, headers }, signal);
          await text(body);
          return statusCode === 404 ? take(Readable.from([madeUp])) : right(url, headers, signal, take);
        }),
      },
      {
        meets: 'tasks have no result, as no profile says',
        binding: ({ samples, ...binding }) => ({
          ...binding,
          samples: { ...samples, task: { ...samples?.task, success: withoutResult(samples?.task?.success) } },
        }),
        mayNotShow: ['tasks.host.uploads-well-formed', 'tasks.host.downloads-input'],
      },
      {
        meets: 'tasks work without an input',
        by: breaks('client', 'download', () => (_url, _headers, _signal, take) => take(Readable.from([madeUp]))),
        mayNotShow: ['tasks.host.downloads-input'],
      },
    ],
  },
  {
    open: 'core: Endpoint table: what else a task calls',
    choices: [
      {
        meets: 'tasks read an object, by no link',
        by: breaks('tasks', 'inputRequest', (right, { surroundings }) => async (task, signal) => {
          const headers = { ...callbackHeaders(task.id, task.token), [headerNames.informationFilter]: 'e30=' };
          // of the space that it has its links in: to ask in another one is remarked on
          const space = /\/space\/[^/?]+/.exec(linkOf(task.links, 'taskProgress').url)?.[0] ?? '';
          const url = joinUrl(task.baseAddress, `/api${space}/softtype/00000001`);
          await surroundings.client.demand({ method: 'GET', url, headers }, signal);
          return right(task, signal);
        }),
      },
    ],
  },
  {
    open: 'chunk-empty-file',
    choices: [
      {
        meets: 'an empty file comes beside the result, in one chunk of none',
        by: breaks('uploads', 'send', (right, uploads) => async (task, file, content, signal) => {
          await right(task, file, content, signal);
          const { method, url } = linkOf(task.links, 'uploadFile');
          const nothing = { number: 1, chunks: 0, chunkSize: 65_536, size: 0, bytes: Buffer.alloc(0) };
          const body = await uploads.formOf({ ...file, name: `${file.name}.empty` }, nothing);
          const checksum = 'd41d8cd98f00b204e9800998ecf8427e';
          const headers = { ...callbackHeaders(task.id, task.token), ...uploads.checksumHeader(checksum) };
          await uploads.surroundings.client.demand({ method, url, headers, body }, signal);
        }),
      },
    ],
  },
  {
    open: 'chunk-size-bounds',
    choices: [
      { meets: 'chunks have 256 KiB', by: settings({ chunkSize: 262_144 }) },
      { meets: 'chunks have a length that is no power of two', by: settings({ chunkSize: 999_983 }) },
      { meets: 'everything is one chunk', by: settings({ upload: 'chunks', chunkSize: 16 * 1024 * 1024 }) },
      { meets: 'everything is a stream', by: settings({ upload: 'stream' }) },
      {
        meets: 'everything comes in chunks of 64 KiB, however short',
        by: settings({ upload: 'chunks', chunkSize: 65_536 }),
      },
    ],
  },
  {
    open: 'chunk-order-and-repeat',
    choices: [
      {
        meets: 'three chunks are under way at a time',
        by: breaks('uploads', 'sendAll', () => async (chunks, sendOne) => {
          for (let first = 1; first <= chunks; first += 3)
            await Promise.all([first, first + 1, first + 2].filter((number) => number <= chunks).map(sendOne));
        }),
      },
      {
        meets: 'each chunk is tried again twice',
        by: breaks(
          'uploads',
          'sendAll',
          (right, { surroundings: { clock } }) =>
            (chunks, sendOne) =>
              right(chunks, async (number) => {
                const again = async () => {
                  await clock.sleep(pauseMs, unheard, 'chunk retry');
                  await sendOne(number);
                };
                await sendOne(number).catch(again).catch(again);
              }),
        ),
      },
    ],
  },
  {
    open: 'extensions: File routes, chunk table: the order of the parts, and further ones',
    choices: [
      {
        meets: 'the form of a chunk begins with the file and has further parts',
        by: form(({ file, texts }) => [file, ['resumableIdentifier', '12-resultcsv'], ...texts.toReversed()]),
      },
      {
        meets: 'the form of a chunk has the file in the middle',
        by: form(({ file, texts }) => [...texts.slice(0, 3), file, ...texts.slice(3)]),
      },
    ],
  },
  {
    open: 'extensions: File routes, chunk table, resumableRelativePath; External task links, row uploadFile (default location): what the path is relative to',
    choices: [
      {
        meets: 'chunks name their file without the directory of the input, where it goes',
        by: breaks(
          'uploads',
          'formOf',
          (right) =>
            (file, ...rest) =>
              right({ ...file, directory: '' }, ...rest),
        ),
      },
    ],
  },
  {
    open: 'extensions: External task links, rows uploadFileStream and uploadFile (default location): where results go',
    choices: [
      {
        meets: 'results go into a directory below that of the input',
        by: placed((file) => ({ ...file, name: `results/${file.name}` }), 'results/'),
      },
      {
        meets: 'a result takes the place of the input',
        by: together(
          breaks('uploads', 'send', (right, { surroundings }) => async (task, file, content, signal) => {
            const path = inputPathOf(task.links);
            const url = fileUrlOf(linkOf(task.links, 'content'), path, path);
            await surroundings.client.demand(
              { method: 'DELETE', url, headers: callbackHeaders(task.id, task.token) },
              signal,
            );
            await right(task, { ...file, name: path.slice(file.directory.length) }, content, signal);
          }),
          breaks('reports', 'statusBody', () => ({ logFilePath }) => ({ logFilePath })),
        ),
      },
      {
        meets: 'a result is read back',
        by: breaks('uploads', 'send', (right, { surroundings }) => async (task, file, content, signal) => {
          await right(task, file, content, signal);
          const path = file.directory + file.name;
          const url = fileUrlOf(linkOf(task.links, 'content'), path, path);
          await surroundings.client.demand(
            { method: 'GET', url, headers: callbackHeaders(task.id, task.token) },
            signal,
          );
        }),
      },
      {
        meets: 'results have names with spaces, signs and umlauts',
        by: placed((file) => ({ ...file, name: `Ergebnis #1 (50%) ä+b ${file.name}` }), 'Ergebnis #1 (50%) ä+b '),
      },
    ],
  },
  {
    open: 'extensions: File routes, stream upload: which type a file has',
    choices: [
      {
        meets: 'uploads have no type',
        by: requesting((outgoing) => (isStream(outgoing) ? withoutHeader(outgoing, 'content-type') : outgoing)),
      },
      {
        meets: 'uploads have the type of bytes and further checksums',
        by: requesting((outgoing) =>
          isStream(outgoing)
            ? {
                ...outgoing,
                headers: {
                  ...withoutHeader(outgoing, 'content-type').headers,
                  'Content-Type': 'application/octet-stream',
                  'Content-MD5': 'AAAAAAAAAAAAAAAAAAAAAA==',
                  'Content-Disposition': 'attachment; filename="x.csv"',
                },
              }
            : outgoing,
        ),
      },
    ],
  },
  {
    open: 'extensions: Callbacks from an external task, row status (JSON body optional)',
    choices: [
      {
        meets: 'the status comes without a body',
        by: together(
          breaks('reports', 'statusBody', () => () => undefined),
          requesting((outgoing) =>
            outgoing.method === 'PUT' && outgoing.body === undefined
              ? withoutHeader(outgoing, 'content-type')
              : outgoing,
          ),
        ),
      },
      {
        meets: 'the status names its files from the directory of the input on',
        by: breaks('reports', 'reportEnd', (right) => (task, status, paths, signal) => {
          const input = inputPathOf(task.links);
          const directory = input.slice(0, input.lastIndexOf('/') + 1);
          const below = Object.entries(paths).map(([name, path]) => [
            name,
            path.startsWith(directory) ? path.slice(directory.length) : path,
          ]);
          return right(task, status, Object.fromEntries(below), signal);
        }),
      },
      {
        meets: 'the status names the input as what came of the task',
        by: breaks(
          'reports',
          'reportEnd',
          (right) => (task, status, paths, signal) =>
            right(task, status, status === 'Completed' ? { outputFilePath: inputPathOf(task.links) } : paths, signal),
        ),
      },
      { meets: 'the status comes with an empty object', by: breaks('reports', 'statusBody', () => () => ({})) },
      {
        meets: 'the status comes with null for what there is not, and with more',
        by: breaks('reports', 'statusBody', (right) => (paths) => ({
          outputFilePath: null,
          logFilePath: '',
          ...Object(right(paths)),
          durationMs: 12.5,
          errors: [],
        })),
      },
      {
        meets: 'the paths of the status begin with a slash',
        by: breaks(
          'reports',
          'statusBody',
          (right) => (paths) =>
            Object.fromEntries(Object.entries(Object(right(paths))).map(([name, path]) => [name, `/${String(path)}`])),
        ),
      },
      {
        meets: 'the status names the log alone',
        by: breaks('reports', 'statusBody', () => ({ logFilePath }) => ({ logFilePath })),
      },
    ],
  },
  {
    open: 'extensions: External task status, rows Canceled and Failed (a log may be given)',
    choices: [
      {
        meets: 'there is no log',
        by: breaks('uploads', 'sendText', () => async () => Promise.reject(new Error('none'))),
      },
      {
        meets: 'a task that fails says so as progress first',
        by: breaks('reports', 'reportFailure', (right, reports) => async (task, outcome, paths, signal) => {
          await reports.reportProgress(task, `It failed: ${outcome.problem ?? ''}`, signal);
          await right(task, outcome, paths, signal);
        }),
      },
    ],
  },
  {
    open: 'extensions: Payloads by extension type, row ExternalTask (jobSettings): which languages a task knows',
    choices: [
      {
        meets: 'a task of another language is refused',
        by: breaks('tasks', 'answer', (right) => async (call) => {
          const { language } = Object(call.payload['jobSettings']);
          return language === 'en' ? await right(call) : { status: 400, json: { message: 'English only' } };
        }),
      },
    ],
  },
  {
    open: 'task-timeout-clock',
    choices: [
      {
        meets: 'a task gives up after half of its time',
        by: breaks('tasks', 'timeLimitMs', (right) => (payload) => right(payload) / 2),
      },
    ],
  },
  {
    open: 'extensions: Errors, rule 1: how often a host tries its own requests',
    choices: [
      {
        meets: 'an upload that is refused is tried from its beginning again',
        by: breaks('uploads', 'send', (right, { surroundings: { clock } }) => async (task, file, content, signal) => {
          for (let attempt = 1; attempt < uploadAttempts; attempt += 1) {
            try {
              return await right(task, file, content, signal);
            } catch {
              await clock.sleep(pauseMs, signal, 'upload retry');
            }
          }
          return right(task, file, content, signal);
        }),
      },
    ],
  },
  {
    open: 'HTTP: how an address is encoded',
    choices: [
      {
        meets: 'addresses are encoded no more than they have to be, in small letters',
        by: requesting((outgoing) => ({ ...outgoing, url: respelled(outgoing.url) })),
      },
    ],
  },
];

const unheard = new AbortController().signal;

type TaskSample = NonNullable<NonNullable<NonNullable<ExtensionHostProfile['samples']>['task']>['success']>;

function withoutResult(sample: TaskSample | undefined): TaskSample {
  return { inputName: 'list.csv', ...sample, taskSettings: { noOutput: true } };
}

function settings(changed: Partial<TaskSettings>): HostVariant {
  return breaks(
    'uploads',
    'send',
    (right) =>
      (task, ...rest) =>
        right({ ...task, settings: { ...task.settings, ...changed } }, ...rest),
  );
}

type Part = readonly [string, string | File];

/** The parts of the form of each chunk in another order. */
function form(
  arrange: (parts: { readonly file: Part; readonly texts: readonly Part[] }) => readonly Part[],
): HostVariant {
  return breaks('uploads', 'formOf', (right) => async (file, chunk) => {
    const { FormData } = await import('undici');
    const parts = [...(await right(file, chunk))] as Part[];
    const arranged = new FormData();
    const isFile = ([name]: Part): boolean => name === 'file';
    const whole = parts.find(isFile) ?? ['file', ''];
    for (const [name, value] of arrange({ file: whole, texts: parts.filter((part) => !isFile(part)) }))
      arranged.append(name, value);
    return arranged;
  });
}

/** Results elsewhere, as the status tells. */
function placed(place: (file: Upload) => Upload, before: string): HostVariant {
  const sent = new Set<string>();
  const sendPlaced: HostVariant = breaks('uploads', 'send', (right) => (task, file, ...rest) => {
    sent.add(file.directory + file.name);
    return right(task, place(file), ...rest);
  });
  const tellPlaced: HostVariant = breaks('reports', 'statusBody', (right) => (paths) => {
    const { outputFilePath } = paths;
    // what was not sent is told as it is
    if (outputFilePath === undefined || !sent.has(outputFilePath)) return right(paths);
    return right({ ...paths, outputFilePath: outputFilePath.replace(/[^/]*$/, (name) => before + name) });
  });
  return together(sendPlaced, tellPlaced);
}

function isStream({ method, headers }: Outgoing): boolean {
  return method === 'POST' && 'checksum' in headers && 'Content-Type' in headers;
}

/** The same path with every segment encoded anew. */
function respelled(url: string): string {
  const [address = '', ...query] = url.split('?');
  const path = address.replace(
    /^(https?:\/\/[^/]+)(.*)$/,
    (_all, origin: string, rest: string) => origin + rest.split('/').map(spelled).join('/'),
  );
  return [path, ...query].join('?');
}

function spelled(segment: string): string {
  const plain = decodeURIComponent(segment);
  return encodeURIComponent(plain)
    .replaceAll(/%(2B|40|3A|24|2C|3B|3D|26)/g, (code) => decodeURIComponent(code))
    .replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}
