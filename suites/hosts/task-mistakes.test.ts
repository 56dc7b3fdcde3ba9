import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { FormData } from 'undici';
import { expect, test } from 'vitest';
import { judgeHost } from '../../bench/swarm/hosts.ts';
import { saidOf } from '../../bench/swarm/judge.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { RuleId } from '../../contract/rule.ts';
import { isObject, valueAt } from '../../judge/json.ts';
import type { Reports } from '../../simulator/extension/areas/reports.ts';
import { callbackHeaders, joinUrl } from '../../simulator/extension/call.ts';
import { CallbackError } from '../../simulator/extension/client.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import { fileUrlOf, inputPathOf, linkOf } from '../../simulator/extension/task/links.ts';
import type { Task } from '../../simulator/extension/task/task.ts';
import { together } from '../../variants/extension-host/breaks.ts';
import { breaks, type HostVariant } from '../../variants/extension-host/choice.ts';
import { hostChoices } from '../../variants/extension-host/choices.ts';

interface Mistake {
  readonly rule: RuleId;
  readonly by: HostVariant;
  readonly found: RegExp;
  /** Judged before, where the mistake shows in the second case alone. */
  readonly before?: RuleId;
}

const shortMs = 40;
const lateMs = 400;

const known = new Set<string>();
let hasLetters = false;
let isLong = false;
let isKnown = false;

/** Mistakes in tasks and with keys, beside the fault of their rule. */
const mistakes: Readonly<Record<string, Mistake>> = {
  'a report of the end that does not get through is given up': {
    rule: 'tasks.host.final-status',
    by: breaks('reports', 'reportEnd', (_right, reports) => async (task, status, _paths, signal) => {
      const link = task.links.find(({ id }) => id === 'taskStatus');
      const url = String(link?.url).replace('{status}', status);
      const headers = { Authorization: `Bearer ${task.token}` };
      await reports.surroundings.client.send({ method: 'PUT', url, headers }, signal);
    }),
    found: /a report of the end that was answered with 503 did not come again/,
  },
  'a task whose timeout is no whole number is refused': {
    rule: 'tasks.host.final-status',
    by: breaks(
      'tasks',
      'answer',
      (right) => async (call) => (Number.isInteger(call.payload['timeout']) ? await right(call) : { status: 400 }),
    ),
    found: /a task whose timeout is 600.5 s was refused with 400/,
  },
  'the end of one task is never told': {
    rule: 'tasks.host.right-throughout',
    before: 'tasks.host.downloads-input',
    by: losingTheFirstEnd(),
    found: /found "?1 of \d+ tasks that were acknowledged came to no end, one of them in tasks\.host\.downloads-input/,
  },
  'the time of a task does not end its upload': {
    rule: 'tasks.host.within-timeout',
    by: breaks(
      'uploads',
      'send',
      (right) => (task, file, content) => right(task, file, content, new AbortController().signal),
    ),
    found: /expected the status reported within the timeout of 19.5 s, while an upload is not answered, found none/,
  },
  'the name of a result is not encoded': {
    rule: 'tasks.host.status-body',
    by: breaks(
      'uploads',
      'send',
      (right) => (task, file, content, signal) =>
        right(task, { ...file, name: file.name.split('#')[0] ?? '' }, content, signal),
    ),
    found: /expected an upload of the file that outputFilePath/,
  },
  'the path of a result is decoded twice': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', () => ({ outputFilePath = '' }) => ({
      outputFilePath: outputFilePath.replace(/%[\dA-F]{2}/gi, decodeURIComponent),
    })),
    found: /expected an upload of the file that outputFilePath/,
  },
  'tasks are worked on at the address of the first': {
    rule: 'tasks.host.follows-links',
    before: 'tasks.host.acknowledged-first',
    by: breaks('client', 'request', (right) => {
      let first: string | undefined;
      return (outgoing, signal) => {
        const { host } = new URL(outgoing.url);
        first ??= host;
        return right({ ...outgoing, url: outgoing.url.replace(host, first) }, signal);
      };
    }),
    found: /port at which \S+ arrives, whose link has it to be/,
  },
  'the end of a task is reported with the token of the first of its service': {
    rule: 'tasks.host.callback-token',
    by: breaks('reports', 'statusHeaders', (right) => {
      const tokens = new Map<string, string>();
      return (task, status) => {
        const token = tokens.get(task.baseAddress) ?? task.token;
        tokens.set(task.baseAddress, token);
        return right({ ...task, token }, status);
      };
    }),
    found: /expected the call whose token status .* carries, behind another task to be/,
  },
  'chunks go into the last of the directories': {
    rule: 'tasks.host.status-body',
    by: breaks(
      'uploads',
      'formOf',
      (right) => (file, chunk) => right({ ...file, directory: file.directory.split('/').slice(-2).join('/') }, chunk),
    ),
    found: /expected an upload of the file that \w+ \(jobs\/.*\) names/,
  },
  'progress is told to the job of the first task of the service': {
    rule: 'tasks.host.callback-token',
    by: breaks('reports', 'reportProgress', (right) => {
      const first = new Map<string, Parameters<typeof right>[0]['links']>();
      return (task, message, signal) => {
        const links = first.get(task.baseAddress) ?? task.links;
        first.set(task.baseAddress, links);
        return right({ ...task, links }, message, signal);
      };
    }),
    found: /expected the job that progress .* tells of, behind another task to be/,
  },
  'the result of an empty input is named and not sent': {
    rule: 'tasks.host.status-body',
    by: breaks('uploads', 'send', (right) => async (task, file, content, signal) => {
      // counts of lines and bytes alone
      if (content.size > 20) await right(task, file, content, signal);
    }),
    found: /expected an upload of the file that outputFilePath/,
  },
  'the number of chunks is rounded down': {
    rule: 'tasks.host.uploads-well-formed',
    by: together(
      breaks('uploads', 'sendAll', (right) => (chunks, sendOne) => right(Math.max(1, chunks - 1), sendOne)),
      breaks(
        'uploads',
        'formOf',
        (right) => (file, chunk) =>
          right(file, { ...chunk, chunks: Math.max(1, Math.floor(chunk.size / chunk.chunkSize)) }),
      ),
    ),
    found: /expected resumableTotalChunks of POST \S+ to be/,
  },
  'a chunk that failed is left out': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks(
      'uploads',
      'sendAll',
      (right) => (chunks, sendOne) => right(chunks, (number) => sendOne(number).catch(() => undefined)),
    ),
    found: /expected numbers of the chunks of \S+, of a completed task to be \[1, ?2, ?3\].*, found \[2, ?3\]/,
  },
  'the size of a chunk is told in letters': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks('uploads', 'formOf', (right) => async (file, chunk) => {
      const form = await right(file, chunk);
      form.set('resumableCurrentChunkSize', String(chunk.bytes.toString('utf8').length));
      return form;
    }),
    found: /expected resumableCurrentChunkSize of POST \S+ to be/,
  },
  'a file that fills its chunks is said to have one more': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks(
      'uploads',
      'formOf',
      (right) => (file, chunk) => right(file, { ...chunk, chunks: Math.floor(chunk.size / chunk.chunkSize) + 1 }),
    ),
    found: /expected resumableTotalChunks of POST \S+ to be "2", found "3"/,
  },
  'a task that could store nothing names its result': {
    rule: 'tasks.host.status-body',
    by: breaks('uploads', 'send', (right) => async (task, file, content, signal) => {
      await right(task, file, content, signal).catch(() => undefined);
    }),
    found:
      /expected the file that outputFilePath .* names, of a task whose uploads were refused to be "?there"?, found "?not there/,
  },
  'a result is named by its address': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', () => ({ outputFilePath }) => ({
      outputFilePath: `https://service.example/api/space/main/fs/file/${outputFilePath ?? ''}`,
    })),
    found: /expected outputFilePath to be a path, and no address, found "?https:/,
  },
  'the settings of a task are kept by the name of its file': {
    rule: 'tasks.host.failure-reported',
    by: keepingSettingsByName(),
    found: /beside one that can|beside one that cannot/,
  },
  'chunks are numbered from zero': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks('uploads', 'formOf', (right) => (file, chunk) => right(file, { ...chunk, number: chunk.number - 1 })),
    found: /expected resumableChunkNumber of POST \S+ to be an integer from 1 to/,
  },
  'a job with the input of another is taken and dropped': {
    rule: 'tasks.host.final-status',
    by: breaks('reports', 'reportEnd', (right) => {
      const jobs = new Map<string, string>();
      return async (task, ...rest) => {
        const input = linkOf(task.links, 'inputFile').url.split('?')[0] ?? '';
        const first = jobs.get(input) ?? task.id;
        jobs.set(input, first);
        if (first === task.id) await right(task, ...rest);
      };
    }),
    found: /the status reported within \d+ s for a job whose input was that of another job/,
  },
  'what is made of a long input is sent behind the end': {
    rule: 'tasks.host.end-is-last',
    by: together(
      seeing((input) => void (isLong = input.byteLength > 100_000)),
      breaks('uploads', 'send', (right, uploads) => async (task, file, content, signal) => {
        if (!isLong) return right(task, file, content, signal);
        void setTimeout(2 * lateMs).then(() => uploads.sendText(task, file, 'late', new AbortController().signal));
      }),
    ),
    found: /what the host sends for a task after the status Completed to be "?none"?, found "?(?:upload|chunk)/,
  },
  'what was made before is not told again': {
    rule: 'tasks.host.uploads-well-formed',
    by: together(
      seeing((input) => {
        isKnown = known.has(input.toString());
        known.add(input.toString());
      }),
      breaks(
        'reports',
        'statusBody',
        (right) =>
          ({ outputFilePath, ...others }) =>
            right(isKnown || outputFilePath === undefined ? others : { ...others, outputFilePath }),
      ),
    ),
    found: /the result that PUT \S+ names, of tasks of one input to be "?one"?, found "?none/,
  },
  'the checksum of a result with other letters than the sample is another': {
    rule: 'tasks.host.uploads-well-formed',
    by: together(
      seeing((input) => void (hasLetters = /\p{Emoji_Presentation}/u.test(input.toString()))),
      breaks(
        'uploads',
        'checksumHeader',
        (right) => (checksum) => right(hasLetters ? [...checksum].toReversed().join('') : checksum),
      ),
    ),
    found: /checksum/,
  },
  'the end of a task whose input is no text is never told': {
    rule: 'tasks.host.final-status',
    by: losingTheEndsOf((input) => input.includes(0)),
    found: /for a task whose input holds every byte, found none/,
  },
  'the end of a task whose input holds signs beyond the first plane is never told': {
    rule: 'tasks.host.final-status',
    by: losingTheEndsOf((input) => /\p{Emoji_Presentation}/u.test(input.toString())),
    found: /for a task whose input goes on with other letters, found none/,
  },
  'the end of a task with a long line is never told': {
    rule: 'tasks.host.final-status',
    by: losingTheEndsOf((input) => /[^\n]{65536}/.test(input.toString())),
    found: /for a task whose input is one long line, found none/,
  },
  'every result has one name': {
    rule: 'tasks.host.final-status',
    by: breaks(
      'uploads',
      'send',
      (right) =>
        (task, place, ...rest) =>
          right(task, { ...place, name: 'result' }, ...rest),
    ),
    found: /a job was reported as Failed whose input was that of another job, which was reported as Completed/,
  },
  'the jobs of a space are told of one': {
    rule: 'tasks.host.final-status',
    by: breaks('reports', 'statusUrl', (right) => {
      const kept = new Map<string, string>();
      return (task, word) => {
        const url = right(task, word);
        const [space = ''] = /^.*\/space\/[^/]+/.exec(url) ?? [];
        kept.set(space, kept.get(space) ?? url);
        return kept.get(space) ?? url;
      };
    }),
    found: /the status reported within \d+ s of another job of the same space to be .* found "?none/,
  },
  'a report that does not get through comes again as a failure': {
    rule: 'tasks.host.final-status',
    by: breaks('reports', 'reportEnd', (_right, reports) => async (task, status, _paths, signal) => {
      const report = (word: string) =>
        reports.surroundings.client.send(
          { method: 'PUT', url: reports.statusUrl(task, word), headers: reports.statusHeaders(task, status) },
          signal,
        );
      if ((await report(status)).status >= 300) await report('Failed');
    }),
    found: /a report of Completed that was answered with 503 came again as Failed/,
  },
  'a failure is told, and then that all is well': {
    rule: 'tasks.host.failure-named',
    by: breaks('reports', 'reportFailure', (right, reports) => async (task, outcome, paths, signal) => {
      await right(task, outcome, paths, signal);
      await reports.reportEnd(task, 'Completed', paths, signal);
    }),
    found: /a task that was reported as Failed was then reported as Completed/,
  },
  'the log is told as the output': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', () => ({ logFilePath }) => ({ outputFilePath: logFilePath, logFilePath })),
    found: /one file \(\S+\) is told as the output and as the log/,
  },
  'the log is streamed to the root of the area, and told as one beside the input': {
    rule: 'tasks.host.status-body',
    by: breaks('uploads', 'sendText', (right) => (task, ...rest) => {
      const links = task.links.map((link) => ({ ...link, url: link.url.replace(/\/stream\/.*/, '/stream') }));
      return right({ ...task, links }, ...rest);
    }),
    found: /an upload of the file that logFilePath \(\S+\) names/,
  },
  'a task whose progress is refused ends in silence': {
    rule: 'tasks.host.progress',
    by: endingWithProgress(),
    found: /the status reported within \d+ s for a task whose progress is refused, found none/,
  },
  'a task whose progress is refused fails': {
    rule: 'tasks.host.progress',
    by: endingWithProgress(true),
    found: /a task that is reported as Completed otherwise is reported as Failed where its progress is refused/,
  },
  'the log of a task holds the key': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks(
      'uploads',
      'sendText',
      (right, { surroundings: { apiKey = '' } }) =>
        (task, file, content, signal) =>
          right(task, file, `${content}signed with ${apiKey}`, signal),
    ),
    found: /expected the apiKey in the body of POST \S+ to be false, found true/,
  },
  'the paths of a status have names of another spelling': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', () => ({ outputFilePath }) => ({ OutputFilePath: outputFilePath })),
    found: /the status report has a member "OutputFilePath"/,
  },
  'a bulk upload does not say whether a log is written': {
    rule: 'api-keys.host.rotation-handled',
    by: bulkWith({ sourceDirectory: '/var/empty' }),
    found: /expected type of writeLog of POST \S+ to be "?boolean"?, found "?undefined/,
  },
  'a bulk upload is signed over its address': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => signatureOf(key, url)),
    found: /expected what the signature of POST \S+ is made over or with to be "?its path"?, found "?its address/,
  },
  'a bulk upload is signed over its route without what names the space': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => signatureOf(key, new URL(url).pathname.split('/').slice(0, 3).join('/'))),
    found:
      /expected what the signature of POST \S+ is made over or with to be "?its path"?, found "?a part of its path/,
  },
  'a bulk upload is signed over its route as a template': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key) => signatureOf(key, '/admin/fileupload/{spaceId}')),
    found: /is made over or with to be "?its path"?, found "?a route with the name of a parameter/,
  },
  'a bulk upload is signed over its path with an empty query': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => digestOf(key, url, 'sha512', '?').toString('base64url')),
    found: /no bulk upload is signed over its path with a key that the host was given/,
  },
  'a bulk upload carries its signature behind another scheme': {
    rule: 'api-keys.host.rotation-handled',
    by: breaks('client', 'send', (right) => (request, signal) => {
      const authorization = request.headers?.['Authorization']?.replace('Bearer ', 'Basic ');
      const isMeant = authorization !== undefined && request.url.includes('/admin/fileupload');
      return right(
        isMeant ? { ...request, headers: { ...request.headers, Authorization: authorization } } : request,
        signal,
      );
    }),
    found: /expected scheme of the Authorization of POST \S+ to be "?bearer"?, found "?basic/,
  },
  'a bulk upload is signed with the key of the calls': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((_key, url, apiKey) => signatureOf(apiKey, new URL(url).pathname)),
    found: /is made over or with to be "?its path"?, found "?the key of the calls/,
  },
  'the timeout of a task is taken for milliseconds': {
    rule: 'tasks.host.within-timeout',
    by: breaks('tasks', 'timeLimitMs', (right) => (payload) => right(payload) / 1000),
    found: /a task was reported as Failed whose download took less than 2 s, although its timeout is 600 s/,
  },
  'the log of a failure has no checksum': {
    rule: 'tasks.host.uploads-well-formed',
    by: checkingNoFailures(),
    found: /expected header checksum of POST \S+log to be .*, found nothing/,
  },
  'the log of a failure is on a disk of the host': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', (right) => (paths) => {
      const isFailure = paths.outputFilePath === undefined;
      return right(isFailure && paths.logFilePath !== undefined ? { logFilePath: '/tmp/task.log' } : paths);
    }),
    found: /an upload of the file that logFilePath \(tmp\/task\.log\) names/,
  },
  'a key is kept as far as a buffer goes': {
    rule: 'api-keys.host.rotation-handled',
    by: breaks('keys', 'answerCallback', (right) => (entry) => {
      const keys = Object.entries(isObject(entry.json) ? entry.json : {});
      const cut = keys.map(([name, key]) => [name, { apiKey: String(valueAt(key, '/apiKey')).slice(0, 64) }] as const);
      return right({ ...entry, json: Object.fromEntries(cut) });
    }),
    found: /expected the key of a request that is signed once a new one came to be "?new"?, found "?refused/,
  },
  'a key itself stands in the place of a signature': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key) => key),
    found: /is made over or with to be "?its path"?, found "?nothing: it is the key itself/,
  },
  'a key is sent as it is at first, and signed with once that is refused': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk(keyAtFirst()),
    found: /is made over or with to be "?its path"?, found "?nothing: it is the key itself/,
  },
  'a bulk upload is signed with the key of another permission': {
    rule: 'api-keys.host.rotation-handled',
    by: breaks('keys', 'answerCallback', (right) => (entry) => {
      const [first, second] = isObject(entry.json) ? Object.values(entry.json) : [];
      return right({ ...entry, json: { AdministrationAPI: second ?? first } });
    }),
    found: /is made over or with to be "?its path"?, found "?its path, with the key of another permission/,
  },
  'the first key that comes is taken for the one that was asked for first': {
    rule: 'api-keys.host.rotation-handled',
    by: breaks('keys', 'answerCallback', (right) => (entry) => {
      const [first] = isObject(entry.json) ? Object.values(entry.json) : [];
      return right({ ...entry, json: { AdministrationAPI: first } });
    }),
    found: /is made over or with to be "?its path"?, found "?its path, with the key of another permission/,
  },
  'the callback takes no keys when there were some': {
    rule: 'api-keys.host.rotation-handled',
    by: takingKeysOnce(),
    found: /status of the keys that POST \S+ asked for when others were refused to be 2xx/,
  },
  'a bulk upload carries the token of its call': {
    rule: 'api-keys.host.rotation-handled',
    by: breaks('calls', 'workOnEvent', (right, { surroundings }) => async (call, signal) => {
      const { spaceId } = call.payload;
      await surroundings.client.send(
        {
          method: 'POST',
          url: joinUrl(call.baseAddress, `/admin/fileupload/${String(spaceId)}`),
          headers: { Authorization: `Bearer ${call.accessToken}`, 'Content-Type': mediaTypes.json },
          body: JSON.stringify({ sourceDirectory: '/var/empty', writeLog: true }),
        },
        signal,
      );
      return right(call, signal);
    }),
    found: /is made over or with to be "?its path"?, found "?nothing: it is the token of a call/,
  },
  'a bulk upload is signed with the text of the key': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => signatureOf(Buffer.from(key).toString('base64'), new URL(url).pathname)),
    found: /is made over or with to be "?its path"?, found "?its path, with the text of the key/,
  },
  'a bulk upload is signed with half of the key': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => {
      const bytes = Buffer.from(key, 'base64');
      return signatureOf(bytes.subarray(0, bytes.byteLength / 2).toString('base64'), new URL(url).pathname);
    }),
    found: /is made over or with to be "?its path"?, found "?its path, with half of the key/,
  },
  ...signedWithPartOfKey('white space at the ends of a key is lost', (key) => key.trim()),
  ...signedWithPartOfKey('the last line feed of a key is lost', (key) => key.replace(/\n$/, '')),
  ...signedWithPartOfKey('a key ends where it has a zero', (key) => key.split('\0')[0] ?? ''),
  'a bulk upload is signed by SHA-256': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => digestOf(key, url, 'sha256').toString('base64url')),
    found: /is made over or with to be "?its path"?, found "?its path, by SHA-256/,
  },
  'a bulk upload is signed in hexadecimal': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => digestOf(key, url).toString('hex')),
    found: /is made over or with to be "?its path"?, found "?its path, in hexadecimal/,
  },
  'the signature of a bulk upload is Base64 as it stands': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => digestOf(key, url).toString('base64')),
    found: /is made over or with to be "?its path"?, found "?its path, in Base64 as it stands/,
  },
  'the signature of a bulk upload has its padding': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => `${digestOf(key, url).toString('base64url')}==`),
    // one in sixteen has no character in which the alphabets differ
    found:
      /is made over or with to be "?its path"?, found "?its path, (?:with padding or in the other alphabet|in Base64 as it stands)/,
  },
  'a bulk upload is signed over the text as the memory has it': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => {
      const path = Buffer.from(new URL(url).pathname, 'utf16le');
      return createHmac('sha512', Buffer.from(key, 'base64')).update(path).digest('base64url');
    }),
    found: /is made over or with to be "?its path"?, found "?its path in UTF-16/,
  },
  'a download has the token of the first': {
    rule: 'tasks.host.callback-token',
    by: breaks('client', 'request', (right) => {
      let first: string | undefined;
      return (outgoing, signal) => {
        if (!/\/fs\/file\/[^?]*\?(?:.*&)?token=/.test(outgoing.url)) return right(outgoing, signal);
        first ??= new URL(outgoing.url).searchParams.get('token') ?? '';
        return right({ ...outgoing, url: outgoing.url.replace(/(?<=[?&]token=)[^&]*/, first) }, signal);
      };
    }),
    found: /what is sent here with the token of a call of another installation to be "?none"?, found "?GET/,
  },
  'a bulk upload goes by PUT': {
    rule: 'api-keys.host.rotation-handled',
    by: breaks(
      'client',
      'request',
      (right) => (outgoing, signal) =>
        right(/\/admin\/fileupload/.test(outgoing.url) ? { ...outgoing, method: 'PUT' } : outgoing, signal),
    ),
    found: /method of the bulk upload to \S+ to be "?POST"?, found "?PUT/,
  },
  'a bulk upload begins with a byte order mark': {
    rule: 'api-keys.host.rotation-handled',
    by: markingBodies(/\/admin\/fileupload/),
    found: /POST \S+ begins with a byte order mark/,
  },
  'progress begins with a byte order mark': {
    rule: 'tasks.host.progress',
    by: markingBodies(/\/progress/),
    found: /PUT \S+ begins with a byte order mark/,
  },
  'a bulk upload tells by a text whether files are replaced': {
    rule: 'api-keys.host.rotation-handled',
    by: bulkWith({ sourceDirectory: '/var/empty', writeLog: true, replaceFiles: 'true' }),
    found: /expected type of replaceFiles of POST \S+ to be "?boolean"?, found "?string/,
  },
  'a bulk upload goes by the type of a text': {
    rule: 'api-keys.host.rotation-handled',
    by: sendingAsText(/\/admin\/fileupload/),
    found: /POST \S+ sends JSON as text\/plain/,
  },
  'the request for keys goes by the type of a text': {
    rule: 'api-keys.host.request-matches-metadata',
    by: sendingAsText(/\/acquireAccessToken\//),
    found: /POST \S+ sends JSON as text\/plain/,
  },
  'progress goes by the type of a text': {
    rule: 'tasks.host.progress',
    by: sendingAsText(/\/progress/),
    found: /PUT \S+ sends JSON as text\/plain/,
  },
  'progress is told in Latin-1': {
    rule: 'tasks.host.progress',
    by: sendingInLatin1(/\/progress/),
    found: /PUT \S+ sends JSON that is not UTF-8/,
  },
  'the status goes by the type of a text': {
    rule: 'tasks.host.status-body',
    by: sendingAsText(/\/status\//),
    found: /PUT \S+ sends JSON as text\/plain/,
  },
  'the query of a link is dropped': {
    rule: 'tasks.host.follows-links',
    by: breaks('reports', 'statusUrl', (right) => (task, word) => right(task, word).split('?')[0] ?? ''),
    found: /expected address of status, whose link has a query to be one with/,
  },
  'links are taken by their place': {
    rule: 'tasks.host.follows-links',
    by: breaks('reports', 'reportEnd', (right) => async (task, ...rest) => {
      if (task.links[2]?.id === 'taskStatus') await right(task, ...rest);
    }),
    found: /the status reported for a task whose links stand in another order to be .* found "?none/,
  },
  'progress is told to the job before': {
    rule: 'tasks.host.callback-token',
    by: breaks('reports', 'reportProgress', (right) => {
      let before: Task | undefined;
      return (task, message, signal) => {
        const { url } = linkOf((before ?? task).links, 'taskProgress');
        before = task;
        const links = task.links.map((link) => (link.id === 'taskProgress' ? { ...link, url } : link));
        return right({ ...task, links }, message, signal);
      };
    }),
    found: /expected the job that progress .* tells of to be/,
  },
  'a task with an empty input ends in silence': {
    rule: 'tasks.host.final-status',
    by: silentWhereEmpty(),
    found: /the status reported within \d+ s for a task of another language whose input is empty, found none/,
  },
  'an input that breaks off is taken for all of it': {
    rule: 'tasks.host.downloads-input',
    by: breaks(
      'client',
      'download',
      (right) => (url, headers, signal, take) =>
        right(url, headers, signal, (body) => take(Readable.from(untilBroken(body)))),
    ),
    found: /a task whose input broke off each time was reported as Completed/,
  },
  'what is there of a file stays where a connection ended': {
    rule: 'tasks.host.downloads-input',
    by: deletingWhereRefused(),
    found: /a DELETE of \S+, of which a chunk was answered by the end of its connection/,
  },
  'an input is kept by its path': {
    rule: 'tasks.host.downloads-input',
    by: keepingInputs(),
    found: /downloads for a task whose input was that of another one and has changed to be .*found 0/,
  },
  'results go to the directory of the first task': {
    rule: 'tasks.host.status-body',
    by: breaks('uploads', 'send', (right) => {
      let first: string | undefined;
      return (task, file, content, signal) => {
        first ??= file.directory;
        return right(task, { ...file, directory: first }, content, signal);
      };
    }),
    found: /an upload of the file that outputFilePath \(\S+\) names/,
  },
  'two processes take one task now and then': {
    rule: 'tasks.host.downloads-input',
    by: breaks('reports', 'reportEnd', (right) => {
      let taken = 0;
      return async (task, status, paths, signal) => {
        taken += 1;
        if (taken === 3) await right(task, status, paths, signal);
        await right(task, status, paths, signal);
      };
    }),
    found: /the host reported the end of one task 2 times: Completed, Completed/,
  },
  'the file of a chunk is called blob': {
    rule: 'tasks.host.uploads-well-formed',
    by: formedWith((form) => form.set('file', form.get('file') ?? '', 'blob')),
    found: /the file in POST \S+ is called "blob"/,
  },
  'the file of a chunk whose name has an umlaut is called blob': {
    rule: 'tasks.host.uploads-well-formed',
    by: formedWith((form) => {
      form.set('file', form.get('file') ?? '', 'blob');
      form.set('resumableFilename', 'gr\u00fcn.csv');
    }),
    found: /the file in POST \S+ is called "blob"/,
  },
  'a result is uploaded by PUT': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks('client', 'request', (right) => (outgoing, signal) => {
      const isMeant = outgoing.url.includes('/fs/file/stream/') && outgoing.method === 'POST';
      return right(isMeant ? { ...outgoing, method: 'PUT' } : outgoing, signal);
    }),
    found: /expected method by which \S+ is uploaded to be "?POST"?, found "?PUT/,
  },
  'a task whose result is refused ends in silence': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'reportFailure', () => async () => undefined),
    found: /the end of a task whose uploads are refused was not reported within \d+ s/,
  },
  'a chunk names its file by its number': {
    rule: 'tasks.host.uploads-well-formed',
    by: formedWith((form) => form.set('resumableFilename', `${String(form.get('resumableFilename'))}.part1`)),
    found: /resumableFilename of POST \S+ \(\S+\.part1\) is not the name in its path/,
  },
  'chunks carry no token': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks('client', 'request', (right) => ({ headers, ...outgoing }, signal) => {
      const { Authorization: _left, ...others } = headers;
      return right({ ...outgoing, headers: /\/fs\/file\/?$/.test(outgoing.url) ? others : headers }, signal);
    }),
    found: /expected where POST \S+ carries the token to be "?header"?, found "?nowhere/,
  },
  'the form of a chunk lacks the size of the whole': {
    rule: 'tasks.host.uploads-well-formed',
    by: formedWith((form) => form.delete('resumableTotalSize')),
    found: /POST \S+ lacks resumableTotalSize, which the form of a chunk has/,
  },
  'what a task reported is deleted as the rest': {
    rule: 'tasks.host.end-is-last',
    by: breaks('reports', 'reportEnd', (right, reports) => async (task, status, paths, signal) => {
      await right(task, status, paths, signal);
      if (paths.outputFilePath !== undefined) await deleteFile(reports, task, paths.outputFilePath);
    }),
    found: /what the host sends for a task after the status Completed to be "?none"?, found "?deletion/,
  },
  'the input of a task is deleted when it is done': {
    rule: 'tasks.host.end-is-last',
    by: breaks('reports', 'reportEnd', (right, reports) => async (task, status, paths, signal) => {
      if (status === 'Completed') await deleteFile(reports, task, inputPathOf(task.links));
      await right(task, status, paths, signal);
    }),
    found: /the host deleted the input of a task that was reported as Completed/,
  },
  'progress of a failure comes behind its status': {
    rule: 'tasks.host.end-is-last',
    by: breaks('reports', 'reportFailure', (right, reports) => async (task, outcome, paths, signal) => {
      await right(task, outcome, paths, signal);
      await reports.reportProgress(task, 'Failed.', signal);
    }),
    found: /what the host sends for a task after the status Failed to be "?none"?, found "?progress/,
  },
  'a task ends with the one before it whose time is over': {
    rule: 'tasks.host.within-timeout',
    by: breaks('tasks', 'timeLimitMs', (right, { surroundings: { clock } }) => {
      let dueAt = 0;
      return (payload) => {
        const leftMs = dueAt > clock.now() ? dueAt - clock.now() : Infinity;
        const limitMs = Math.min(right(payload), leftMs);
        dueAt = clock.now() + limitMs;
        return limitMs;
      };
    }),
    found: /a task whose timeout is 600 s was reported as Failed when the time of another was over/,
  },
  'a call that fails ends the tasks that are under way': {
    rule: 'tasks.host.final-status',
    by: (areas) => {
      const underWay = new Set<string>();
      return together(
        breaks('tasks', 'answer', (right) => (call) => {
          underWay.add(call.id);
          return right(call);
        }),
        breaks('calls', 'answerValidation', (right, calls) => async (call) => {
          const url = joinUrl(
            call.baseAddress,
            `/api/space/main/softtype/dynamic/Document/${call.payload['objectId']}`,
          );
          const headers = { ...callbackHeaders(call.id, calls.tokenOf(call)), ...calls.filterHeader(call) };
          const read = await calls.surroundings.client.send(
            { method: 'GET', url, headers },
            new AbortController().signal,
          );
          if (read.status === 404) underWay.clear();
          return right(call);
        }),
        breaks('reports', 'reportEnd', (right) => async (task, status, paths, signal) => {
          if (underWay.has(task.id)) await right(task, status, paths, signal);
        }),
      )(areas);
    },
    found: /expected .*for a task beside calls that cannot be done.* found none/,
  },
  'a task goes on when its time is over': {
    rule: 'tasks.host.within-timeout',
    by: breaks('reports', 'reportFailure', (right, reports) => async (task, outcome, paths, signal) => {
      await right(task, outcome, paths, signal);
      await reports.surroundings.activity.work(() => setTimeout(lateMs));
      if (outcome.isLate === true) await reports.reportEnd(task, 'Completed', {}, signal);
    }),
    found: /a task whose time was over was reported as Failed, and as Completed when its upload was answered/,
  },
  'a task whose input is not there ends in silence': {
    rule: 'tasks.host.failure-reported',
    by: breaks('reports', 'reportFailure', (right) => async (task, outcome, paths, signal) => {
      if (outcome.problem?.includes('404') !== true) await right(task, outcome, paths, signal);
    }),
    found: /expected .*a task whose input is not there.* found none/,
  },
  'a task whose input cannot be read for a while is never tried again': {
    rule: 'tasks.host.within-timeout',
    by: breaks('reports', 'reportFailure', (right) => async (task, outcome, paths, signal) => {
      if (outcome.problem?.includes('503') !== true) await right(task, outcome, paths, signal);
    }),
    found: /expected .*while each download is answered 503, found none/,
  },
  'an input that is refused is that which another task of the space had': {
    rule: 'tasks.host.failure-reported',
    by: (areas) => {
      const spaces = new Set<string | undefined>();
      const spaceOf = ({ links }: Task): string | undefined => /\/space\/[^/]+/.exec(String(links[0]?.url))?.[0];
      return together(
        breaks('reports', 'reportEnd', (right) => async (task, status, paths, signal) => {
          if (status === 'Completed') spaces.add(spaceOf(task));
          await right(task, status, paths, signal);
        }),
        breaks('reports', 'reportFailure', (right, reports) => async (task, outcome, paths, signal) => {
          const isKept = outcome.problem?.includes('403') === true && spaces.has(spaceOf(task));
          await (isKept ? reports.reportEnd(task, 'Completed', {}, signal) : right(task, outcome, paths, signal));
        }),
      )(areas);
    },
    found: /expected .*behind one that had its own under that name to be one of .*, found "?Completed/,
  },
  'a status that comes again is in capitals': {
    rule: 'tasks.host.right-throughout',
    before: 'tasks.host.final-status',
    by: breaks('client', 'send', (right) => {
      const refused = new Set<string>();
      return async (request, signal) => {
        const { url } = request;
        const again = url.replace(/Completed$/, 'COMPLETED');
        const reply = await right(refused.has(url) ? { ...request, url: again } : request, signal);
        if (reply.status === 503) refused.add(url);
        return reply;
      };
    }),
    found: /\/status\/COMPLETED is no status, as in tasks\.host\.final-status/,
  },
  'the point of a timeout is not read': {
    rule: 'tasks.host.within-timeout',
    by: breaks(
      'tasks',
      'timeLimitMs',
      (right) => (payload) => right({ ...payload, timeout: Number(String(payload['timeout']).replace('.', '')) }),
    ),
    found: /expected the status reported within the timeout of 19.5 s, while an upload is not answered, found none/,
  },
  'a status tells its result by another name': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', () => ({ outputFilePath }) => ({ outputPath: outputFilePath })),
    found: /the status report has a member "outputPath"/,
  },
  'a task that was completed is reported as canceled as well': {
    rule: 'tasks.host.end-is-last',
    by: breaks('reports', 'reportEnd', (right) => async (task, status, paths, signal) => {
      await right(task, status, paths, signal);
      await right(task, 'Canceled', paths, signal);
    }),
    found: /a further status of a task that was reported as Completed to be "?Completed"?, found "?Canceled/,
  },
  'progress is a bare text': {
    rule: 'tasks.host.progress',
    by: breaks('reports', 'progressBody', () => (message) => message),
    found: /a progress report is its message, and no object that holds it/,
  },
  'keys are asked for by PUT': {
    rule: 'api-keys.host.request-matches-metadata',
    by: breaks('client', 'request', (right) => (outgoing, signal) => {
      const isMeant = outgoing.url.includes('/acquireAccessToken/');
      return right(isMeant ? { ...outgoing, method: 'PUT' } : outgoing, signal);
    }),
    found: /expected method of the request for keys to be "?POST"?, found "?PUT/,
  },
  'keys are asked for by the endpoint of the record': {
    rule: 'api-keys.host.request-matches-metadata',
    by: breaks('client', 'request', (right) => (outgoing, signal) => {
      const url = outgoing.url.replace(/(\/acquireAccessToken)\/(.*)$/, '$1/records/$2');
      return right({ ...outgoing, url }, signal);
    }),
    found: /expected the id in the path of the request for keys to be .*, found "?records\//,
  },
  'keys are asked for by no id': {
    rule: 'api-keys.host.request-matches-metadata',
    by: breaks('client', 'request', (right) => (outgoing, signal) => {
      const url = outgoing.url.replace(/(\/acquireAccessToken)\/.*$/, '$1');
      return right({ ...outgoing, url }, signal);
    }),
    found: /expected the id in the path of the request for keys to be/,
  },
  'the status is told twice in the path': {
    rule: 'tasks.host.final-status',
    by: breaks('client', 'request', (right) => (outgoing, signal) => {
      const url = outgoing.url.replace(/\/status\/([^/?]+)/, '/status/$1/$1');
      return right({ ...outgoing, url }, signal);
    }),
    found: /found "?Completed\/Completed/,
  },
  'the path of a result is written small': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', () => ({ outputFilePath = '' }) => ({
      outputFilePath: outputFilePath.toLowerCase(),
    })),
    found: /expected an upload of the file that outputFilePath/,
  },
  'the type of a chunk is none': {
    rule: 'tasks.host.uploads-well-formed',
    by: formedWith((form) => form.set('resumableType', 'undefined')),
    found: /resumableType of POST \S+ \(undefined\) is no media type/,
  },
  'the path of a chunk has backslashes': {
    rule: 'tasks.host.uploads-well-formed',
    by: formedWith((form) =>
      form.set('resumableRelativePath', String(form.get('resumableRelativePath')).replaceAll('/', '\\')),
    ),
    found: /resumableRelativePath of POST \S+ \(\S+\) has backslashes/,
  },
  'the call of a task waits until its first progress is taken': {
    rule: 'tasks.host.acknowledged-first',
    by: breaks('tasks', 'answer', (right, tasks) => async (call) => {
      const { client, activity } = tasks.surroundings;
      const links = (call.payload['links'] ?? []) as Task['links'];
      const { method, url } = linkOf(links, 'taskProgress');
      const headers = { Authorization: `Bearer ${call.accessToken}`, 'Content-Type': mediaTypes.json };
      const request = { method, url, headers, body: JSON.stringify({ message: 'Accepted' }) };
      await activity.work(() => client.send(request, AbortSignal.timeout(30_000)).catch(() => undefined));
      return right(call);
    }),
    found:
      /what the host sends because of a call before it answers that.* to be "?nothing"?, found "?PUT \S+\/progress/,
  },
  'a task call that comes again is refused': {
    rule: 'tasks.host.acknowledged-first',
    by: breaks('tasks', 'answer', (right) => {
      const known = new Set<string>();
      return async (call) => {
        const isKnown = known.has(call.id);
        known.add(call.id);
        return isKnown ? { status: 409, json: { message: 'Known' } } : right(call);
      };
    }),
    found: /a task call that came again before the task was done, as after a lost acknowledgement, was answered 409/,
  },
  'no task is taken after the first': {
    rule: 'tasks.host.acknowledged-first',
    by: breaks('tasks', 'answer', (right) => {
      let first: string | undefined;
      return async (call) => {
        first ??= call.id;
        return call.id === first ? right(call) : { status: 409, json: { message: 'Taken' } };
      };
    }),
    found: /status of another task call, when the task of the first has ended to be 2xx.* found "?409/,
  },
  'a result is told as an address spells it': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', () => ({ outputFilePath = '' }) => ({
      outputFilePath: encodeURI(outputFilePath),
    })),
    found: /outputFilePath \(\S+\) is encoded as in an address, and the path of the file is/,
  },
  'a result is told with the end of a route before it': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', () => ({ outputFilePath = '' }) => ({
      outputFilePath: `fs/file/${outputFilePath}`,
    })),
    found: /outputFilePath \(\S+\) begins with the path of a route, and the path of the file is/,
  },
  'a result is told with the path of a route before it': {
    rule: 'tasks.host.status-body',
    by: breaks('reports', 'statusBody', () => ({ outputFilePath = '' }) => ({
      outputFilePath: `/api/space/main/fs/file/${outputFilePath}`,
    })),
    found: /outputFilePath \(\S+\) begins with the path of a route, and the path of the file is/,
  },
  'a result that went in chunks is told by its name alone': {
    rule: 'tasks.host.status-body',
    by: together(
      breaks(
        'uploads',
        'send',
        (right) =>
          (task, ...rest) =>
            right({ ...task, settings: { ...task.settings, upload: 'chunks' } }, ...rest),
      ),
      breaks('reports', 'statusBody', () => ({ outputFilePath = '' }) => ({
        outputFilePath: outputFilePath.split('/').at(-1),
      })),
    ),
    found: /outputFilePath \(\S+\) goes on from the directory of the input, and the path of the file is/,
  },
  'a report that comes again has no token': {
    rule: 'tasks.host.final-status',
    by: breaks('client', 'send', (right) => {
      const sent = new Set<unknown>();
      return (outgoing, signal) => {
        const isAgain = sent.has(outgoing.headers);
        sent.add(outgoing.headers);
        const { Authorization: _token, ...headers } = outgoing.headers;
        return right(isAgain ? { ...outgoing, headers } : outgoing, signal);
      };
    }),
    found: /expected the call whose token a report carries that comes again to be .* found "?none/,
  },
  'an upload that comes again is empty': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks('client', 'send', (right) => async (outgoing, signal) => {
      const reply = await right(outgoing, signal);
      return reply.status === 503 && outgoing.method === 'POST' ? right({ ...outgoing, body: '' }, signal) : reply;
    }),
    found: /expected header checksum of POST \S+ to be/,
  },
  'the size of a file is written as a float': {
    rule: 'tasks.host.uploads-well-formed',
    by: formedWith((form) => form.set('resumableTotalSize', Number(form.get('resumableTotalSize')).toExponential())),
    found: /expected resumableTotalSize of POST \S+ to be an integer in digits, found "?\d/,
  },
  'the spaces of a link become plus signs': {
    rule: 'tasks.host.downloads-input',
    by: breaks(
      'client',
      'download',
      (right) =>
        (url, ...rest) =>
          right(url.replaceAll('%20', '+'), ...rest),
    ),
    found: /expected the file that is downloaded to be/,
  },
  'a month is more than a timer takes': {
    rule: 'tasks.host.within-timeout',
    by: endingWhatIsLong(),
    found: /a task whose timeout is 2592000 s was reported as Failed/,
  },
  'the jobs of all installations are known by their ids': {
    rule: 'calls.host.uses-base-address',
    by: breaks('background', 'start', (right) => {
      const known = new Set<string>();
      return (call, work) => {
        if (known.has(call.id) && call.payload['links'] !== undefined) return undefined;
        known.add(call.id);
        return right(call, work);
      };
    }),
    found: /no end of a task was reported after one of another installation that had its id/,
  },
};

test.each(Object.entries(mistakes))('%s', async (_what, { rule, by, found, before = rule }) => {
  const { outcomes } = await judgeHost([{ meets: 'a mistake', by }], { rules: [...new Set([before, rule])], seed: 1 });
  expect(outcomes.filter((outcome) => outcome.rule === rule).map(saidOf)).toEqual([expect.stringMatching(found)]);
});

/** Tasks of the second record alone, which no sample of a profile is about. */
test.each<readonly [RuleId, (isOther: (id?: string) => boolean) => HostVariant, RegExp]>([
  [
    'tasks.host.final-status',
    (isOther) =>
      breaks(
        'reports',
        'statusUrl',
        (right) => (task, word) => right(task, isOther(task.id) ? word.toLowerCase() : word),
      ),
    /the status reported of a task of record "\S+-other" to be one of .* found "?completed/,
  ],
  [
    'tasks.host.uploads-well-formed',
    (isOther) =>
      breaks('client', 'request', (right) => ({ headers, ...outgoing }, signal) => {
        const isWrong = 'checksum' in headers && isOther(headers[headerNames.correlationId]);
        return right({ ...outgoing, headers: { ...headers, ...(isWrong && { checksum: 'd41d8' }) } }, signal);
      }),
    /checksum of POST \S+ to be .* found "?d41d8/,
  ],
])('%s looks at tasks of another record', async (rule, mistake, found) => {
  const others = new Set<string>();
  const noted = breaks('tasks', 'answer', (right) => (call) => {
    if (call.entry.target.includes('of=other')) others.add(call.id);
    return right(call);
  });
  const by = together(
    mistake((id = '') => others.has(id)),
    noted,
  );
  const two = hostChoices(['each type has two records, whose endpoints differ in their query']);
  const { outcomes } = await judgeHost([...two, { meets: 'a mistake', by }], { rules: [rule], seed: 1 });
  expect(outcomes.map(saidOf)).toEqual([expect.stringMatching(found)]);
});

/** @param left what is left of the key, read as Latin-1 */
function signedWithPartOfKey(mistake: string, left: (key: string) => string): Record<string, Mistake> {
  const signed = (key: string, url: string): string => {
    const bytes = Buffer.from(left(Buffer.from(key, 'base64').toString('latin1')), 'latin1');
    return signatureOf(bytes.toString('base64'), new URL(url).pathname);
  };
  return {
    [mistake]: {
      rule: 'api-keys.host.rotation-handled',
      by: authorizingBulk(signed),
      found: /is made over or with to be "?its path"?, found "?its path, with a key that lacks/,
    },
  };
}

/** @param bearerOf from the acquired key, the address, and the key of the calls */
function authorizingBulk(bearerOf: (key: string, url: string, apiKey: string) => string): HostVariant {
  let [key, apiKey] = ['', ''];
  return together(
    breaks('keys', 'answerCallback', (right) => (entry) => {
      const given = isObject(entry.json) ? entry.json['AdministrationAPI'] : undefined;
      if (isObject(given)) key = String(given['apiKey']);
      return right(entry);
    }),
    breaks('signing', 'isAdmitted', (right, { surroundings }) => {
      apiKey = surroundings.apiKey ?? '';
      return right;
    }),
    breaks('client', 'send', (right) => (request, signal) => {
      if (!request.url.includes('/admin/fileupload')) return right(request, signal);
      const headers = { ...request.headers, Authorization: `Bearer ${bearerOf(key, request.url, apiKey)}` };
      return right({ ...request, headers }, signal);
    }),
  );
}

/** The log of what failed goes another way than that of what was done. */
function checkingNoFailures(): HostVariant {
  let isFailure = false;
  return together(
    breaks('uploads', 'sendText', (right) => (task, file, text, signal) => {
      isFailure = /failed/i.test(text);
      return right(task, file, text, signal).finally(() => (isFailure = false));
    }),
    breaks('uploads', 'checksumHeader', (right) => (checksum) => (isFailure ? {} : right(checksum))),
  );
}

/** Keys are taken until one is refused, and nothing is signed from then on. */
function takingKeysOnce(): HostVariant {
  let isRefused = false;
  return together(
    breaks('client', 'send', (right) => async (request, signal) => {
      const isBulk = request.url.includes('/admin/fileupload');
      if (isBulk && isRefused) return { status: 401 };
      const reply = await right(request, signal);
      isRefused ||= isBulk && reply.status === 401;
      return reply;
    }),
    breaks(
      'keys',
      'answerCallback',
      (right) => (entry) => (isRefused ? { status: 409, json: { message: 'There are keys' } } : right(entry)),
    ),
  );
}

/** The key itself for the first request, then the signature. */
function keyAtFirst(): (key: string, url: string) => string {
  let isFirst = true;
  return (key, url) => {
    const bearer = isFirst ? key : signatureOf(key, new URL(url).pathname);
    isFirst = false;
    return bearer;
  };
}

/** What a task has is kept by the name of its file while its input is worked on. */
function keepingSettingsByName(): HostVariant {
  return breaks('reports', 'reportProgress', (right, reports) => {
    const kept = new Map<string, Task['settings']>();
    return async (task, message, signal) => {
      const name = linkOf(task.links, 'inputFile').url.replace(/\?.*$|^.*\//g, '');
      if (message.startsWith('The input')) {
        kept.set(name, task.settings);
        await reports.surroundings.activity.work(() => setTimeout(shortMs));
        Object.assign(task, { settings: kept.get(name) });
      }
      return right(task, message, signal);
    };
  });
}

/** What was refused on the way ends a task, which nobody is told. */
/** @param isToldAsFailed the end is reported all the same */
function endingWithProgress(isToldAsFailed = false): HostVariant {
  const ended = new Set<string>();
  return together(
    breaks('reports', 'reportProgress', (_right, reports) => async (task, message, signal) => {
      const { method, url } = linkOf(task.links, 'taskProgress');
      const headers = { Authorization: `Bearer ${task.token}`, 'Content-Type': mediaTypes.json };
      const request = { method, url, headers, body: JSON.stringify({ message }) };
      const { status } = await reports.surroundings.client.send(request, signal);
      if (status >= 300) ended.add(task.id);
    }),
    breaks('reports', 'reportEnd', (right) => async (task, status, paths, signal) => {
      if (!ended.has(task.id)) await right(task, status, paths, signal);
      else if (isToldAsFailed) await right(task, 'Failed', {}, signal);
    }),
  );
}

function digestOf(key: string, url: string, hash = 'sha512', behind = ''): Buffer {
  return createHmac(hash, Buffer.from(key, 'base64'))
    .update(new URL(url).pathname + behind)
    .digest();
}

function bulkWith(body: object): HostVariant {
  return breaks('calls', 'workOnEvent', (right) => (call, signal) => {
    const content = Object(call.payload['contentPayload']) as Readonly<Record<string, unknown>>;
    const bulkUpload = { ...Object(content['bulkUpload']), body };
    return right({ ...call, payload: { ...call.payload, contentPayload: { ...content, bulkUpload } } }, signal);
  });
}

/** What a client says of a text that nobody told it more of. */
function sendingAsText(isMeant: RegExp): HostVariant {
  return breaks('client', 'request', (right) => (outgoing, signal) => {
    const headers = { ...outgoing.headers, 'Content-Type': 'text/plain;charset=UTF-8' };
    return right(isMeant.test(outgoing.url) ? { ...outgoing, headers } : outgoing, signal);
  });
}

/** What a writer of texts puts before them unless it is told. */
function markingBodies(isMeant: RegExp): HostVariant {
  return breaks('client', 'request', (right) => (outgoing, signal) => {
    const isText = typeof outgoing.body === 'string' && isMeant.test(outgoing.url);
    return right(isText ? { ...outgoing, body: `\uFEFF${String(outgoing.body)}` } : outgoing, signal);
  });
}

/** A text with an umlaut, by one byte for each letter. */
function sendingInLatin1(isMeant: RegExp): HostVariant {
  return breaks('client', 'request', (right) => (outgoing, signal) => {
    if (typeof outgoing.body !== 'string' || !isMeant.test(outgoing.url)) return right(outgoing, signal);
    const text = outgoing.body.replace(/"(?=\}$)/, ' f\u00fcr heute"');
    return right({ ...outgoing, body: Buffer.from(text, 'latin1') }, signal);
  });
}

function formedWith(change: (form: FormData) => void): HostVariant {
  return breaks('uploads', 'formOf', (right) => async (file, chunk) => {
    const form = await right(file, chunk);
    change(form);
    return form;
  });
}

async function* untilBroken(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch {
    // as if that were its end
  }
}

function losingTheFirstEnd(): HostVariant {
  let isFirst = true;
  return breaks('reports', 'reportEnd', (right) => async (task, status, paths, signal) => {
    if (!isFirst) await right(task, status, paths, signal);
    isFirst = false;
  });
}

function seeing(see: (input: Buffer, url: string) => void): HostVariant {
  return breaks(
    'client',
    'download',
    (right) => (url, headers, signal, take) =>
      right(url, headers, signal, async (body) => {
        const bytes = await buffer(body);
        see(bytes, url);
        return take(Readable.from([bytes]));
      }),
  );
}

function losingTheEndsOf(isMeant: (input: Buffer) => boolean): HostVariant {
  const lost = new Set<string>();
  return together(
    seeing((input, url) => void (isMeant(input) && lost.add(url))),
    breaks('reports', 'reportEnd', (right) => async (task, ...told) => {
      if (!lost.has(linkOf(task.links, 'inputFile').url)) await right(task, ...told);
    }),
  );
}

/** What is there of a file goes where the service answered with a refusal alone. */
function deletingWhereRefused(): HostVariant {
  let isRefused = false;
  return together(
    breaks('uploads', 'sendAll', (right) => async (chunks, sendOne) => {
      try {
        await right(chunks, sendOne);
      } catch (error) {
        isRefused = error instanceof CallbackError && error.status !== undefined;
        throw error;
      }
    }),
    breaks('uploads', 'deletePart', (right) => async (...part) => {
      if (isRefused) await right(...part);
    }),
  );
}

function keepingInputs(): HostVariant {
  const kept = new Map<string, Buffer>();
  return breaks('client', 'download', (right) => async (url, headers, signal, take) => {
    const [path = ''] = url.split('?');
    const before = kept.get(path);
    if (before !== undefined) return take(Readable.from([before]));
    return right(url, headers, signal, async (body) => {
      const bytes = await buffer(body);
      kept.set(path, bytes);
      return take(Readable.from([bytes]));
    });
  });
}

function silentWhereEmpty(): HostVariant {
  const empty = new Set<string>();
  return together(
    breaks(
      'client',
      'download',
      (right) => (url, headers, signal, take) =>
        right(url, headers, signal, async (body) => {
          const bytes = await buffer(body);
          if (bytes.length === 0) empty.add(String(headers['X-Correlation-Id']));
          return take(Readable.from([bytes]));
        }),
    ),
    breaks('reports', 'reportEnd', (right) => async (task, status, paths, signal) => {
      if (!empty.has(task.id)) await right(task, status, paths, signal);
    }),
  );
}

async function deleteFile(reports: Reports, { links, id, token }: Task, path: string): Promise<void> {
  const url = fileUrlOf(linkOf(links, 'content'), path, path);
  const headers = callbackHeaders(id, token);
  await reports.surroundings.client.send({ method: 'DELETE', url, headers }, new AbortController().signal);
}

/** A timer of more than 31 bits of ms goes off at once. */
function endingWhatIsLong(): HostVariant {
  let isOver = false;
  return together(
    breaks('tasks', 'timeLimitMs', (right) => (payload) => {
      isOver = Number(payload['timeout']) * 1000 > 0x7fff_ffff;
      return right(payload);
    }),
    breaks(
      'reports',
      'reportEnd',
      (right) =>
        (task, status, ...rest) =>
          right(task, isOver ? 'Failed' : status, ...rest),
    ),
  );
}
