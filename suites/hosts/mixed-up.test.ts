import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { judgeHost } from '../../bench/swarm/hosts.ts';
import { saidOf } from '../../bench/swarm/judge.ts';
import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { RuleId } from '../../contract/rule.ts';
import { valueAt } from '../../judge/json.ts';
import { joinUrl } from '../../simulator/extension/call.ts';
import type { Outgoing } from '../../simulator/extension/client.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import { linkOf } from '../../simulator/extension/task/links.ts';
import type { Step } from '../../simulator/extension/step.ts';
import type { Task } from '../../simulator/extension/task/task.ts';
import { together } from '../../variants/extension-host/breaks.ts';
import { breaks, type HostChoice, type HostVariant, recordsWith } from '../../variants/extension-host/choice.ts';

interface Mistake {
  readonly rule: RuleId;
  readonly by: HostVariant;
  readonly found: RegExp;
  readonly records?: HostChoice['records'];
  readonly binding?: HostChoice['binding'];
  /** What the run holds besides. */
  readonly beside?: readonly RuleId[];
}

const cut: Step = { status: 500, cut: 'before-answer', how: 'close' };

/** What one call or task of several gets of another. */
const mistakes: Readonly<Record<string, Mistake>> = {
  'the end of a job names the files of the one before': {
    rule: 'tasks.host.right-throughout',
    by: breaks('reports', 'statusBody', (right) => ofTheOneBefore(right)),
    found: /names jobs\/\S+, a file of another job, as in tasks\.host\.progress/,
    beside: ['tasks.host.progress'],
  },
  'the checksum of a log is that of its letters in another encoding': {
    rule: 'tasks.host.right-throughout',
    by: (areas) => {
      let log: string | undefined;
      return together(
        breaks('uploads', 'sendText', (right) => (task, file, text, signal) => {
          log = text;
          return right(task, file, text, signal);
        }),
        breaks('uploads', 'checksumHeader', (right) => (checksum) => {
          const text = log;
          log = undefined;
          return right(text === undefined ? checksum : createHash('md5').update(text, 'latin1').digest('hex'));
        }),
      )(areas);
    },
    found: /carries a checksum that is not that of its bytes, as in tasks\.host\.downloads-input/,
    beside: ['tasks.host.downloads-input'],
  },
  'the end of every second job names a file that was never sent': {
    rule: 'tasks.host.right-throughout',
    by: breaks('reports', 'statusBody', (right) => {
      let number = 0;
      return (paths) => {
        number += 1;
        const { outputFilePath = '' } = paths;
        const isWrong = number % 2 === 0 && outputFilePath !== '';
        return right(isWrong ? { ...paths, outputFilePath: `${outputFilePath}.zip` } : paths);
      };
    }),
    found: /names \S+\.zip, which it never sent, as in tasks\.host\.progress/,
    beside: ['tasks.host.progress'],
  },
  'a validation behind another call of its service has the other verdict': {
    rule: 'tasks.host.right-throughout',
    by: (areas) => {
      const called = new Set<string>();
      return together(
        notingBases('answerEvent', called),
        notingBases('answerEmail', called),
        notingBases('answerAction', called),
        breaks('calls', 'answerValidation', (right, calls) => (call) => {
          const objectId = String(call.payload['objectId']);
          const isOther = called.has(call.baseAddress);
          return isOther
            ? { status: 200, json: calls.validationBody(objectId, !calls.isValid(objectId)) }
            : right(call);
        }),
      )(areas);
    },
    found:
      /expected the verdicts of the run to be "?those of their objects"?, found "?\d of \d+ validations had another verdict/,
    beside: ['calls.host.redelivery', 'calls.host.uses-core-headers'],
  },
  'mails are sent by a pool that never gets its connections back': {
    rule: 'tasks.host.right-throughout',
    by: breaks('calls', 'answerEmail', (right) => {
      let free = 2;
      return (call) => {
        free -= 1;
        return free < 0 ? { status: 503 } : right(call);
      };
    }),
    found: /found 503, expected answer of record "simulated-email" at the end of the run, of 3, to what it took before/,
    beside: ['calls.host.redelivery'],
  },
  'bulk uploads go into the space of the event that came last': {
    rule: 'api-keys.host.rotation-handled',
    by: uploadingBulkInto(() => {
      let latest = '';
      return {
        come: (spaceId) => (latest = spaceId),
        work: () => latest,
      };
    }),
    found: /expected a bulk upload into the space of an event, as into that of one at once in another/,
  },
  'bulk uploads go into the first space of all': {
    rule: 'api-keys.host.rotation-handled',
    by: uploadingBulkInto(() => {
      let first: string | undefined;
      return { come: (spaceId) => (first ??= spaceId), work: (spaceId) => first ?? spaceId };
    }),
    found: /expected space that POST \S+ names, of those of all services to be "?its own"?, found "?Space-/,
    beside: ['api-keys.host.callback-accepted'],
  },
  'the key that came last signs for every installation': {
    rule: 'api-keys.host.rotation-handled',
    by: (areas) => {
      let last: string | undefined;
      return together(
        breaks('keys', 'answerCallback', (right) => (entry) => {
          const key = valueAt(entry.json, '/AdministrationAPI/apiKey');
          if (typeof key === 'string') last = key;
          return right(entry);
        }),
        breaks('keys', 'post', (right, { surroundings }) => async (posting, signal) => {
          if (last === undefined) return right(posting, signal);
          const url = joinUrl(posting.baseAddress, posting.route);
          const Authorization = `Bearer ${signatureOf(last, new URL(url).pathname)}`;
          const headers = { 'Content-Type': 'application/json', Authorization };
          const body = JSON.stringify(posting.body ?? {});
          const reply = await surroundings.client.send({ method: 'POST', url, headers, body }, signal);
          return reply.status === 401 || reply.status === 403 ? right(posting, signal) : reply;
        }),
      )(areas);
    },
    found: /expected the key of another installation with which POST \S+ is signed to be "?none of another/,
  },
  'keys are refused until the request for them is answered': {
    rule: 'api-keys.host.rotation-handled',
    by: (areas) => {
      let asking = 0;
      return together(
        breaks('client', 'demand', (right) => (outgoing, signal) => {
          if (!outgoing.url.includes('/acquireAccessToken')) return right(outgoing, signal);
          asking += 1;
          return right(outgoing, signal).finally(() => (asking -= 1));
        }),
        breaks('keys', 'answerCallback', (right) => (entry) => (asking > 0 ? { status: 409 } : right(entry))),
      )(areas);
    },
    found: /expected the answer to keys that are brought before the request for them is answered to be "?success/,
  },
  'files that a report names are never sent where an event was called before': {
    rule: 'tasks.host.right-throughout',
    by: (areas) => {
      const called = new Set<string>();
      return together(
        notingBases('answerEvent', called),
        breaks('uploads', 'send', (right) => async (task, file, content, signal) => {
          if (!called.has(task.baseAddress)) await right(task, file, content, signal);
        }),
      )(areas);
    },
    found: /names \S+, which it never sent/,
    beside: ['calls.host.uses-core-headers'],
  },
  'progress is told to the job before': {
    rule: 'tasks.host.right-throughout',
    by: breaks('reports', 'reportProgress', (right) => {
      const linksOf = ofTheOneBefore((task: Task) => linkOf(task.links, 'taskProgress'));
      return (task, message, signal) => {
        const { url } = linksOf(task);
        const links = task.links.map((link) => (link.id === 'taskProgress' ? { ...link, url } : link));
        return right({ ...task, links }, message, signal);
      };
    }),
    found: /PUT \S+\/progress (?:tells of the job of another call|carries the token of no call)/,
    beside: ['tasks.host.callback-token'],
  },
  'every third download is that of the one before': {
    rule: 'tasks.host.uploads-well-formed',
    by: mixingUpDownloads(),
    found:
      /expected the result that POST \S+ uploads, of tasks of two inputs to be "?its own"?, found "?that of another/,
  },
  'every third download is that of the one before, and what is made of it names its own task': {
    rule: 'tasks.host.uploads-well-formed',
    by: together(
      naming((own) => own),
      mixingUpDownloads(),
    ),
    found: /of tasks of two inputs to be "?its own"?, found "?that of another/,
  },
  'every third event tells the note of the one before': {
    rule: 'calls.host.uses-envelope-token',
    binding: withNote,
    by: noting((number, own, before) => ({ text: number % 3 === 0 ? before : own })),
    found: /that POST \S+ repeats at POST\/text to be "?its own"?, found "?that of another event/,
  },
  'every event deletes what the one before named': {
    rule: 'calls.host.uses-envelope-token',
    binding: withObsolete,
    by: deleting(ofTheOneBefore((own: string) => own)),
    found:
      /the content of an event that POST \S+ repeats at DELETE softtype\/ to be "?its own"?, found "?that of another/,
  },
  'a result names the task before': {
    rule: 'tasks.host.uploads-well-formed',
    by: naming(ofTheOneBefore((own: string) => own)),
    found: /the task that is named in the result that POST \S+ uploads to be/,
  },
  'an upload that comes again is the one that came last': {
    rule: 'tasks.host.uploads-well-formed',
    by: together(
      naming((own) => own),
      breaks('client', 'send', (right) => {
        let latest: Outgoing | undefined;
        return async (outgoing, signal) => {
          if (!outgoing.url.includes('/fs/file/stream/')) return right(outgoing, signal);
          latest = outgoing;
          const reply = await right(outgoing, signal);
          if (reply.status !== 503) return reply;
          await setTimeout(150);
          return right({ ...latest, url: outgoing.url, headers: mixedHeaders(outgoing, latest) }, signal);
        };
      }),
    ),
    found: /the task that is named in the result that POST \S+ uploads to be/,
  },
  'the name that was refused is told of what is sent again under another': {
    rule: 'tasks.host.status-body',
    by: breaks('uploads', 'send', (right) => async (task, file, content, signal) => {
      try {
        await right(task, file, content, signal);
      } catch {
        await right(task, { ...file, name: `2-${file.name}` }, content, signal);
      }
    }),
    found: /the file that outputFilePath \(\S+\) names, of which \S+ was taken in the place of \S+ to be "?another/,
  },
  'what is worked on at once lies in one place': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks('client', 'download', (right) => {
      let place = Buffer.alloc(0);
      return (url, headers, signal, take) =>
        right(url, headers, signal, async (body) => {
          place = await buffer(body);
          await setTimeout(150);
          return take(Readable.from([place]));
        });
    }),
    found: /of tasks of two inputs to be "?its own"?, found "?that of another input/,
  },
  'what an input holds is kept by the name of its file': {
    rule: 'tasks.host.uploads-well-formed',
    by: breaks('client', 'download', (right) => {
      const kept = new Map<string, Buffer>();
      return (url, headers, signal, take) =>
        right(url, headers, signal, async (body) => {
          const name = url.replace(/\?.*$|^.*\//g, '');
          const bytes = await buffer(body);
          kept.set(name, kept.get(name) ?? bytes);
          return take(Readable.from([kept.get(name) ?? bytes]));
        });
    }),
    found: /uploads, of an input with the name of a former one to be "?its own"?, found "?that of the former/,
  },
  'the settings of a task are kept by the name of its file, once and for all': {
    rule: 'tasks.host.failure-reported',
    by: breaks('reports', 'reportProgress', (right) => {
      const kept = new Map<string, Task['settings']>();
      return (task, message, signal) => {
        const name = linkOf(task.links, 'inputFile').url.replace(/\?.*$|^.*\//g, '');
        const settings = kept.get(name) ?? task.settings;
        kept.set(name, settings);
        Object.assign(task, { settings });
        return right(task, message, signal);
      };
    }),
    found: /a task that cannot be done, behind one that can, .* found "?Completed/,
  },
  'edits that wait are one where their objects have one id': {
    rule: 'calls.host.redelivery',
    by: editingOnce(() => 'one'),
    found: /requests of the host because of event \S+ in its space, as because of one at once in another space/,
  },
  'a validation of an object that is not there ends its connection': {
    rule: 'tasks.host.right-throughout',
    by: breaks(
      'calls',
      'answerValidation',
      (right) => (call) =>
        String(call.payload['objectId']).startsWith('object-')
          ? { status: 500, cut: 'before-answer', how: 'close' }
          : right(call),
    ),
    found:
      /expected what a call of record "\S+" comes to each time, as in calls\.host\.validation-\S+ to be "?an answer/,
    beside: ['calls.host.validation-object', 'calls.host.validation-outcome'],
  },
  'every fourth validation ends its connection': {
    rule: 'tasks.host.right-throughout',
    by: breaks('calls', 'answerValidation', (right) => everyNth(4, right, cut)),
    found: /of \d+ calls of record "\S+", of which one had no answer in \S+, those whose connection ended before/,
    beside: ['calls.host.validation-object', 'calls.host.validation-outcome'],
  },
  'every fourth validation is never answered': {
    rule: 'tasks.host.right-throughout',
    by: breaks('calls', 'answerValidation', (right) => everyNth(4, right, { status: 200, never: true })),
    records: recordsWith(() => ({ requestTimeout: 2 })),
    found: /of \d+ calls of record "\S+", of which one had no answer in \S+, those not answered within 2 s/,
    beside: ['calls.host.validation-object', 'calls.host.validation-outcome'],
  },
  'every second callback ends its connection': {
    rule: 'tasks.host.right-throughout',
    by: breaks('keys', 'answerCallback', (right) => everyNth(2, right, cut)),
    found: /of \d+ callbacks with keys that the host asked for, those whose connection ended before/,
    beside: ['api-keys.host.callback-accepted', 'api-keys.host.rotation-handled'],
  },
  'one task is forgotten': {
    rule: 'tasks.host.right-throughout',
    by: forgettingTheFirst(),
    found: /found "?1 of \d+ tasks that were acknowledged came to no end, one of them in tasks\.host\.\S+/,
    beside: ['tasks.host.end-is-last', 'tasks.host.failure-named'],
  },
  'a task whose time is over is reported as done': {
    rule: 'tasks.host.within-timeout',
    by: breaks(
      'reports',
      'reportFailure',
      (right, reports) => (task, outcome, paths, signal) =>
        outcome.isLate ? reports.reportEnd(task, 'Completed', paths, signal) : right(task, outcome, paths, signal),
    ),
    found: /a task whose download did not end was reported as Completed/,
  },
};

test.each(Object.entries(mistakes))('%s', async (_what, { rule, by, records, binding, found, beside = [] }) => {
  const choice = { meets: 'a mistake', by, ...(records && { records }), ...(binding && { binding }) };
  const { outcomes } = await judgeHost([choice], {
    rules: [...beside, rule],
    seed: 1,
  });
  expect(outcomes.filter((outcome) => outcome.rule === rule).map(saidOf)).toEqual([expect.stringMatching(found)]);
});

/** What it makes of what it was given before; of that itself at first. */
function ofTheOneBefore<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  let before: Made | undefined;
  return (given) => {
    const own = make(given);
    const made = before ?? own;
    before = own;
    return made;
  };
}

/** Each nth time another step. */
function everyNth<Given extends readonly unknown[], Right>(
  nth: number,
  right: (...given: Given) => Right,
  instead: Step,
): (...given: Given) => Right | Step {
  let made = 0;
  return (...given) => {
    made += 1;
    return made % nth === 0 ? instead : right(...given);
  };
}

function withNote(binding: ExtensionHostProfile): ExtensionHostProfile {
  return { ...binding, samples: { ...binding.samples, event: { note: 'checked' } } };
}

function withObsolete(binding: ExtensionHostProfile): ExtensionHostProfile {
  const samples = { ...binding.samples, event: { obsolete: 'old-1' } };
  return { ...binding, samples, objects: { 'old-1': { text: 'old' } } };
}

/** An event deletes in a batch what it makes of the object that it names. */
function deleting(make: (own: string) => string): HostVariant {
  return breaks('calls', 'workOnEvent', (_right, calls) => async (call, signal) => {
    const space = `/api/space/${String(call.payload['spaceId'])}`;
    const id = make(String(valueAt(call.payload, '/contentPayload/obsolete')));
    const headers = {
      Authorization: `Bearer ${calls.tokenOf(call)}`,
      'Content-Type': 'application/json',
      ...calls.filterHeader(call),
    };
    const href = joinUrl(call.baseAddress, `${space}/softtype/${id}`);
    const url = joinUrl(call.baseAddress, `${space}/batch`);
    const body = JSON.stringify([{ method: 'DELETE', href }]);
    await calls.surroundings.client.send({ method: 'POST', url, headers, body }, signal);
  });
}

/** The result of a task names what is made of its id, and the length of its input. */
function naming(make: (own: string) => string): HostVariant {
  return breaks('uploads', 'send', (_right, uploads) => async (task, file, content, signal) => {
    await uploads.sendText(task, file, `${content.size} of ${make(task.id)}`, signal);
  });
}

/** Keeps the base addresses of calls of a kind. */
function notingBases(kind: 'answerEvent' | 'answerEmail' | 'answerAction', called: Set<string>): HostVariant {
  return breaks('calls', kind, (right) => (call) => {
    called.add(call.baseAddress);
    return right(call);
  });
}

function mixingUpDownloads(): HostVariant {
  return breaks('client', 'download', (right) => {
    let number = 0;
    const mixUp = ofTheOneBefore((bytes: Buffer) => bytes);
    return (url, headers, signal, take) =>
      right(url, headers, signal, async (body) => {
        const bytes = await buffer(body);
        const other = mixUp(bytes);
        number += 1;
        return take(Readable.from([number % 3 === 0 ? other : bytes]));
      });
  });
}

/** An event leads to a bulk upload a little later. @param open what is told of the space of each event that comes, and which is asked for the space of the upload */
function uploadingBulkInto(
  open: () => { readonly come: (spaceId: string) => void; readonly work: (spaceId: string) => string },
): HostVariant {
  return (areas) => {
    const { come, work } = open();
    return breaks('calls', 'workOnEvent', (right, calls) => async (call, signal) => {
      const spaceId = String(call.payload['spaceId']);
      come(spaceId);
      await calls.surroundings.activity.work(() => setTimeout(800));
      const route = `/admin/fileupload/${work(spaceId)}`;
      const bulkUpload = { route, body: { sourceDirectory: '/var/empty', writeLog: false } };
      return right({ ...call, payload: { ...call.payload, contentPayload: { bulkUpload } } }, signal);
    })(areas);
  };
}

/** An event edits an object, unless that waits already because of another event. */
function editingOnce(keyOf: (space: string) => string): HostVariant {
  const waiting = new Set<string>();
  return breaks('calls', 'workOnEvent', (_right, calls) => async (call, signal) => {
    const { client } = calls.surroundings;
    const space = `/api/space/${String(call.payload['spaceId'])}`;
    const key = keyOf(space);
    const url = joinUrl(call.baseAddress, `${space}/softtype/Document/documentInput/00000001`);
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
    const read = await client.request({ method: 'GET', url, headers }, signal);
    await read.body.resume().toArray();
    if (waiting.has(key)) return;
    waiting.add(key);
    await setTimeout(150);
    waiting.delete(key);
    const version = { 'Svc-UOIVersion': String(read.headers['svc-uoiversion']), 'Content-Type': 'application/json' };
    await client.send({ method: 'PATCH', url, headers: { ...headers, ...version }, body: '{"note":"n"}' }, signal);
  });
}

function mixedHeaders(own: Outgoing, latest: Outgoing): Outgoing['headers'] {
  return { ...latest.headers, Authorization: String(own.headers?.['Authorization']) };
}

test.each([
  ['deletes what it names', deleting((own) => own), withObsolete, 'calls.host.uses-envelope-token'],
  ['edits an object of a space once', editingOnce((space) => space), undefined, 'calls.host.redelivery'],
  [
    'uploads into the space of its event',
    uploadingBulkInto(() => ({ come: () => undefined, work: (spaceId) => spaceId })),
    undefined,
    'api-keys.host.rotation-handled',
  ],
  ['names the task in its result', naming((own) => own), undefined, 'tasks.host.uploads-well-formed'],
] as const)('a host that %s may do so', async (_what, by, binding, rule) => {
  const choice = { meets: 'what is its own', by, ...(binding && { binding }) };
  const { outcomes } = await judgeHost([choice], { rules: [rule], seed: 1 });
  expect(outcomes.map(saidOf)).toEqual([`pass ${rule}: `]);
});

/** An event creates what is made of its number, its note and that of the one before. */
function noting(make: (number: number, own: string, before: string) => object): HostVariant {
  return breaks('calls', 'workOnEvent', (_right, calls) => {
    let number = 0;
    const beforeOf = ofTheOneBefore((own: string) => own);
    return async (call, signal) => {
      number += 1;
      const own = String(valueAt(call.payload, '/contentPayload/note'));
      const url = joinUrl(call.baseAddress, `/api/space/${String(call.payload['spaceId'])}/softtype/Note/noteInput`);
      const headers = {
        Authorization: `Bearer ${calls.tokenOf(call)}`,
        'Content-Type': 'application/json',
        ...calls.filterHeader(call),
      };
      const body = JSON.stringify(make(number, own, beforeOf(own)));
      await calls.surroundings.client.send({ method: 'POST', url, headers, body }, signal);
    };
  });
}

test.each([
  ['as ever', (_number: number, own: string) => ({ text: own })],
  ['beside that of the one before', (_number: number, own: string, before: string) => ({ text: own, before })],
  ['or that of the one before', (number: number, own: string, before: string) => ({ text: [own, before][number % 2] })],
])('events that tell their note %s may do so', async (_how, make) => {
  const choice = { meets: 'notes', by: noting(make), binding: withNote };
  const { outcomes } = await judgeHost([choice], { rules: ['calls.host.uses-envelope-token'], seed: 1 });
  expect(outcomes.map(saidOf)).toEqual(['pass calls.host.uses-envelope-token: ']);
});

/** The first task is acknowledged, and nothing comes of it. */
function forgettingTheFirst(): HostVariant {
  return breaks('tasks', 'answer', (right) => {
    let isFirst = true;
    return (call) => {
      const isForgotten = isFirst;
      isFirst = false;
      return isForgotten ? Promise.resolve({ status: 200 }) : right(call);
    };
  });
}
