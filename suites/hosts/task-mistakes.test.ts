import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { judgeHost } from '../../bench/swarm/hosts.ts';
import { saidOf } from '../../bench/swarm/judge.ts';
import { mediaTypes } from '../../contract/names.ts';
import type { RuleId } from '../../contract/rule.ts';
import { isObject } from '../../judge/json.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import { linkOf } from '../../simulator/extension/task/links.ts';
import type { Task } from '../../simulator/extension/task/task.ts';
import { together } from '../../variants/extension-host/breaks.ts';
import { breaks, type HostVariant } from '../../variants/extension-host/choice.ts';

interface Mistake {
  readonly rule: RuleId;
  readonly by: HostVariant;
  readonly found: RegExp;
}

const shortMs = 40;

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
          { method: 'PUT', url: reports.statusUrl(task, word), headers: reports.statusHeaders(task) },
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
  'a task whose progress is refused ends in silence': {
    rule: 'tasks.host.progress',
    by: endingWithProgress(),
    found: /the status reported within \d+ s for a task whose progress is refused to be .* found "?none/,
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
    by: breaks('calls', 'workOnEvent', (right) => (call, signal) => {
      const content = Object(call.payload['contentPayload']) as Readonly<Record<string, unknown>>;
      const bulkUpload = { ...Object(content['bulkUpload']), body: { sourceDirectory: '/var/empty' } };
      return right({ ...call, payload: { ...call.payload, contentPayload: { ...content, bulkUpload } } }, signal);
    }),
    found: /a bulk upload has no writeLog \(boolean\)/,
  },
  'a bulk upload is signed over its address': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key, url) => signatureOf(key, url)),
    found: /expected what the signature of POST \S+ is made over or with to be "?its path"?, found "?its address/,
  },
  'a bulk upload is signed with the key of the calls': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((_key, url, apiKey) => signatureOf(apiKey, new URL(url).pathname)),
    found: /is made over or with to be "?its path"?, found "?the key of the calls/,
  },
  'a key itself stands in the place of a signature': {
    rule: 'api-keys.host.rotation-handled',
    by: authorizingBulk((key) => key),
    found: /bearer value of POST .*found "?the key itself/,
  },
};

test.each(Object.entries(mistakes))('%s', async (_what, { rule, by, found }) => {
  const { outcomes } = await judgeHost([{ meets: 'a mistake', by }], { rules: [rule], seed: 1 });
  expect(outcomes.map(saidOf)).toEqual([expect.stringMatching(found)]);
});

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
function endingWithProgress(): HostVariant {
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
    }),
  );
}
