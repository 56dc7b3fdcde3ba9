import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { judgeHost } from '../../bench/swarm/hosts.ts';
import { saidOf } from '../../bench/swarm/judge.ts';
import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { RuleId } from '../../contract/rule.ts';
import { jsonOf, valueAt } from '../../judge/json.ts';
import { joinUrl } from '../../simulator/extension/call.ts';
import { together } from '../../variants/extension-host/breaks.ts';
import { breaks, type HostVariant } from '../../variants/extension-host/choice.ts';

interface Mistake {
  readonly rule: RuleId;
  readonly by: HostVariant;
  readonly found: RegExp;
  /** What the run holds besides. */
  readonly beside?: readonly RuleId[];
}

/** What a verdict is kept by, of the address and the space of its call, and the id and version of its object. */
type KeyOf = (place: {
  readonly base: string;
  readonly space: string;
  readonly id: string;
  readonly version: string;
}) => string;

/** What a host keeps by less than what tells it apart. */
const mistakes: Readonly<Record<string, Mistake>> = {
  'verdicts are kept by the object and its version, in whatever space it is': {
    rule: 'calls.host.validation-outcome',
    by: keepingVerdicts(({ base, id, version }) => `${base} ${id} ${version}`),
    found: /expected isValid of an object whose id is that of a valid one in another space to be false, found true/,
  },
  'verdicts are kept by the object and its version, whoever asks for them': {
    rule: 'calls.host.validation-outcome',
    by: keepingVerdicts(({ space, id, version }) => `${space} ${id} ${version}`),
    found: /whose id is that of a valid one in another installation to be false, found true/,
  },
  'verdicts are kept by the object, which is read each time': {
    rule: 'calls.host.validation-outcome',
    by: keepingVerdicts(({ base, space, id }) => `${base} ${space} ${id}`),
    found: /^pass .*an object that was found valid stayed so when others edited it/,
  },
  'what the first input of a space holds is kept for all of it': {
    rule: 'tasks.host.uploads-well-formed',
    by: keepingInputs((url) => /^.*\/space\/[^/]+/.exec(url)?.[0] ?? ''),
    found: /of tasks of two inputs to be "?its own"?, found "?that of another input/,
  },
  'the first key is kept, and is sent less and less often': {
    rule: 'api-keys.host.rotation-handled',
    by: keepingTheFirstKey(12),
    found: /expected the key of a request that is signed once a new one came to be "?new"?, found "?refused/,
  },
  'a result is told as there whose upload failed': {
    rule: 'tasks.host.right-throughout',
    by: breaks('client', 'send', (right) => async (request, signal) => {
      const reply = await right(request, signal);
      return request.url.includes('/fs/file') && reply.status === 503 ? { ...reply, status: 201 } : reply;
    }),
    found: /names \S+, which the service could not take whenever it was sent, as in tasks\.host\.uploads-well-formed/,
    beside: ['tasks.host.uploads-well-formed'],
  },
  'the other chunks of a file are sent where one failed': {
    rule: 'tasks.host.right-throughout',
    by: together(
      breaks('uploads', 'send', (right) => (task, file, content, signal) => {
        const chunkSize = Math.max(8, Math.ceil(content.size / 4));
        const settings = { ...task.settings, upload: 'chunks' as const, chunkSize };
        return right({ ...task, settings }, file, content, signal);
      }),
      breaks('client', 'send', (right) => async (request, signal) => {
        const reply = await right(request, signal);
        const isFailedChunk =
          request.url.includes('/fs/file') && !request.url.includes('/stream') && reply.status === 503;
        return isFailedChunk ? { ...reply, status: 201 } : reply;
      }),
    ),
    found: /names \S+, which the service could not take whenever it was sent, as in tasks\.host\.uploads-well-formed/,
    beside: ['tasks.host.uploads-well-formed'],
  },
  'every fifth input is read before it is written': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks('client', 'download', (right) => {
      let number = 0;
      return (url, headers, signal, take) =>
        right(url, headers, signal, async (body) => {
          const bytes = await buffer(body);
          number += 1;
          return take(Readable.from(number % 5 === 0 ? [] : [bytes]));
        });
    }),
    found: /of tasks of two inputs to be "?its own"?, found "?that of another input/,
  },
};

test.each(Object.entries(mistakes))('%s', async (_what, { rule, by, found, beside = [] }) => {
  const said = await judged(by, ...beside, rule);
  expect(said.filter((text) => text.includes(` ${rule}: `))).toEqual([expect.stringMatching(found)]);
});

test.each([
  ['verdicts', keepingVerdicts(({ base, space, id, version }) => `${base} ${space} ${id} ${version}`)],
  ['inputs', keepingInputs((url) => url)],
])('%s that are kept by all that tells them apart are not blamed', async (_what, by) => {
  expect([
    ...(await judged(by, 'calls.host.validation-outcome')),
    ...(await judged(by, 'tasks.host.uploads-well-formed')),
  ]).toEqual(['pass calls.host.validation-outcome: ', 'pass tasks.host.uploads-well-formed: ']);
});

async function judged(by: HostVariant, ...rules: readonly RuleId[]): Promise<readonly string[]> {
  const objects = { 'object-1': { title: 'Crane' }, 'invalid-1': { title: 'bad' } };
  const binding = (stated: ExtensionHostProfile): ExtensionHostProfile => ({ ...stated, objects });
  const { outcomes } = await judgeHost([{ meets: 'what is kept', by, binding }], { rules, seed: 1 });
  return outcomes.map(saidOf);
}

/** Reads the object each time, and judges it by its title where there is no verdict yet. */
function keepingVerdicts(keyOf: KeyOf): HostVariant {
  const verdicts = new Map<string, boolean>();
  return breaks('calls', 'answerValidation', (_right, calls) => async (call) => {
    const { objectId: id, spaceId: space } = call.payload;
    const url = joinUrl(
      call.baseAddress,
      `/api/space/${encodeURIComponent(String(space))}/softtype/${encodeURIComponent(String(id))}`,
    );
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
    const read = await calls.surroundings.client.request({ method: 'GET', url, headers }, AbortSignal.timeout(9000));
    const json = jsonOf(await text(read.body));
    if (read.statusCode !== 200) return { status: 200, json: { isValid: false, message: 'It cannot be read.' } };
    const version = String(valueAt(json, '/version'));
    const key = keyOf({ base: call.baseAddress, space: String(space), id: String(id), version });
    const isValid = verdicts.get(key) ?? valueAt(json, '/data/title') !== 'bad';
    verdicts.set(key, isValid);
    return { status: 200, json: { isValid, message: '' } };
  });
}

/** Sends no more once that many bulk uploads were refused. */
function keepingTheFirstKey(mostRefused: number): HostVariant {
  const first = new Map<string, string>();
  let refused = 0;
  return breaks('client', 'send', (right) => async (request, signal) => {
    if (!request.url.includes('/admin/fileupload')) return right(request, signal);
    if (refused >= mostRefused) throw new Error('The service refuses this host.');
    const { origin } = new URL(request.url);
    const authorization = first.get(origin) ?? String(request.headers?.['Authorization']);
    first.set(origin, authorization);
    const reply = await right({ ...request, headers: { ...request.headers, Authorization: authorization } }, signal);
    if (reply.status === 401) refused += 1;
    return reply;
  });
}

/** What was downloaded first is taken for what has the same key. */
function keepingInputs(keyOf: (url: string) => string): HostVariant {
  return breaks('client', 'download', (right) => {
    const kept = new Map<string, Buffer>();
    return (url, headers, signal, take) =>
      right(url, headers, signal, async (body) => {
        const bytes = await buffer(body);
        const known = kept.get(keyOf(url)) ?? bytes;
        kept.set(keyOf(url), known);
        return take(Readable.from([known]));
      });
  });
}
