import { Step, type Variant, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, registerEndpoint, scheduleTask, tokenOf } from '../proofs.ts';
import { type Made, at, listAt, many, movePath, spaceFiles } from '../service.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { setImmediate } from 'node:timers/promises';
import type { Answer } from '../../../reference-server/http/call.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const fileMistakes: Batch = {
  'chunks.mark-at-the-front-goes': {
    source: 'extensions: What the service does, file API',
    breaks: 'A file is kept byte by byte, also one that came in one chunk and begins with a byte order mark.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const pieces = right(areas, chunk);
      if (chunk.totalChunks > 1) return pieces;
      const content = Buffer.concat(pieces);
      return content.subarray(0, 3).equals(byteOrderMark) ? [content.subarray(3)] : pieces;
    }),
    async shows({ edda }) {
      await edda.sendChunks('marked.txt', ['\uFEFFtext']);
      const read = await edda.get(`${spaceFiles}/marked.txt`);
      return read.status === 200 && read.headers.get('content-length') === '4';
    },
  },

  'files.deletion-decodes-twice': {
    source: 'extensions: File routes, row 4',
    breaks:
      'DELETE takes away the file that its path names, and fails where there is none: a percent sign in a name is one.',
    kind: 'value',
    variant: replaces('files', 'removeFile', (right, areas, call) =>
      right(areas, { ...call, rest: (call.rest ?? []).map(decodedOnce) }),
    ),
    async shows({ edda }) {
      await edda.upload('a%2541b.txt', 'one');
      await edda.delete(`${spaceFiles}/a%2541b.txt`);
      return (await edda.get(`${spaceFiles}/a%2541b.txt`)).status === 200;
    },
  },

  'files.query-token-never-expires': {
    source: 'extensions: Authentication 1',
    breaks: 'A token in the query opens a download as long as it is valid, and not a second longer.',
    kind: 'combination',
    variant: replaces('fileAreas', 'authenticateFile', (right, areas, call) => {
      const lenient = within(areas, { tokens: { checkExpiry: () => undefined } });
      return right(call.headers['authorization'] === undefined ? lenient : areas, call);
    }),
    async shows(service) {
      await service.edda.upload('a.txt', 'text');
      const token = await tokenOf(service, 'edda');
      await service.pass(3601);
      return (await service.nobody.get(`${spaceFiles}/a.txt?token=${token}`)).status === 200;
    },
  },
};

function decodedOnce(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(decodeURIComponent(segment)));
  } catch {
    return segment;
  }
}

const batchMistakes: Batch = {
  'batch.second-read-has-the-first-type': {
    source: 'core: System properties, $softType',
    breaks: 'What a read says of its definition is that of its object, also in a batch behind another read.',
    kind: 'copy',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const [first] = results.map(({ body }) => at(body, '/data/$softType')).filter((type) => type !== undefined);
      return right(
        areas,
        results.map((result) => {
          const { body } = result;
          if (!isContent(body) || !isContent(body['data'])) return result;
          return { ...result, body: { ...body, data: { ...body['data'], $softType: first } } };
        }),
      );
    }),
    async shows({ edda }) {
      const [document, part] = [await edda.make('Document', { title: 't' }), await edda.make('Part', { name: 'n' })];
      const answer = await edda.batch([document, part].map(({ path }) => ({ method: 'GET', href: path })));
      return at(answer.json, '/1/body/data/$softType') !== 'Part';
    },
  },

  'batch.promote-has-the-old-version': {
    source: 'core: Batch result, row body',
    breaks: 'The result of a promote in a batch has the version that it led to.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const version = at(body, '/version');
      const isSecond = call.params['levelId'] !== undefined && typeof version === 'number' && version > 2;
      return isSecond && isContent(body) ? { ...body, version: version - 1 } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'n' });
      const answer = await edda.batch([promote(made, 2)]);
      return at(answer.json, '/0/body/version') !== 3;
    },
  },

  'validation.fewer-retries-in-a-batch': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'A validation that meets transient errors is tried three times more, also for a promote in a batch.',
    kind: 'place',
    variant: lessPatientInBatches(),
    async shows(service) {
      const host = await service.host(
        () => [
          {
            id: 'check',
            extensionType: 'ExternalValidation',
            capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
          },
        ],
        always({ status: 503 }),
      );
      const made = await service.edda.make('Document', { title: 't' });
      const answer = service.edda.batch([promote(made, 1)]);
      for (let left = 20; left > 0; left -= 1) {
        await service.pass(1);
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      await answer;
      return callsOf(host, 'validation').length < 4;
    },
  },
};

function promote(made: Made, version: number): object {
  return { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': String(version) } };
}

function lessPatientInBatches(): Variant {
  return (classes) => {
    const batch = new Step();
    return together(
      replaces('validatedWrites', 'validatedBatch', (right, areas, call, table) =>
        batch.run(() => right(areas, call, table)),
      ),
      replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) =>
        right(areas, delivery, batch.isOn() ? Math.min(retries, 2) : retries),
      ),
    )(classes);
  };
}

const callMistakes: Batch = {
  'delivery.timeout-of-the-first-attempt-alone': {
    source: 'extensions: Registered external endpoint, row requestTimeout',
    breaks: 'The timeout of an endpoint holds for every attempt.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return 'endpoint' in callee && attempt > 1 ? { ...request, timeoutMs: 100_000 } : request;
    }),
    async shows(service) {
      await using host = await startExtensionHost({
        script: [{ steps: [{ status: 503 }, { never: true }], afterwards: 'last' }],
      });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, requestTimeout: 3 });
      await service.edda.sendToEndpoint();
      await service.pass(1, 10);
      return (await logged(service, 'timeout')).length === 0;
    },
  },

  'tasks.empty-progress-is-none': {
    source: 'extensions: Callbacks from an external task, row progress',
    breaks: 'The message of a report is what the job shows, also one without characters.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress || (job.progress ?? '')),
    ),
    survives:
      'Callbacks, row progress: a message without characters shows on no job, and whether a job keeps showing those before it is not said.',
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.edda.put(`${job}/progress`, undefined, { message: '' });
      return at((await service.edda.get(job)).json, '/progress') === 'half';
    },
  },

  'email.created-without-a-body-is-none': {
    source: 'extensions: Calls to extensions, row Email',
    breaks: 'A mail is sent when the answer is 201, whatever its body.',
    kind: 'value',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isBare = outcome.kind === 'answered' && outcome.status === 201 && outcome.body === '';
      return right(areas, kind, outcome) && !(kind === 'email' && isBare);
    }),
    survives:
      'Ledger log-access: the mail goes out once either way; what tells a failure from a success is the log alone, and how to read that is not shown.',
    async shows(service) {
      await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 201 }));
      await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'events.success-with-an-error-in-its-body': {
    source: 'extensions: Events 2',
    breaks: 'A 200 is a success, whatever its body says.',
    kind: 'value',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isDoubted = outcome.kind === 'answered' && kind === 'event' && outcome.body.includes('"error"');
      return right(areas, kind, outcome) && !isDoubted;
    }),
    survives:
      'Ledger log-access: the event goes out once either way; what tells a failure from a success is the log alone, and how to read that is not shown.',
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 200, json: { error: null } }));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0;
    },
  },

  'events.second-of-one-request-id': {
    source: 'extensions: Events 1',
    breaks: 'Every event is delivered, also the second one that a client triggers under one correlation id.',
    kind: 'copy',
    variant: breaks('queue', 'enqueue', (right) => {
      const known = new Set<string>();
      return async (areas, writing, delivery) => {
        const key = `${delivery.recordId ?? delivery.registrationId} ${delivery.envelopeId}`;
        if (delivery.kind === 'event' && known.has(key)) return true;
        known.add(key);
        return right(areas, writing, delivery);
      };
    }),
    survives:
      'core: Common request headers, row X-Correlation-Id: it is unique per request; what becomes of a second request with one is not said.',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { number: 1 }, { 'X-Correlation-Id': 'same' });
      await service.edda.sendEvent('event', { number: 2 }, { 'X-Correlation-Id': 'same' });
      await service.pass(1, 2);
      return callsOf(host, 'event').length < 2;
    },
  },

  'delivery.fewer-retries-without-connection': {
    source: 'extensions: Limits, retries row 1',
    breaks: 'A delivery is retried five times, also one whose connections break.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      right(
        areas,
        delivery,
        outcome.kind === 'failed' && policy.retries === 5 ? { ...policy, retries: 4 } : policy,
        outcome,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ cut: 'before-answer' }));
      await service.edda.sendEvent();
      await service.pass(2, 40);
      return callsOf(host, 'event').length < 6;
    },
  },
};

const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };

const writingMistakes: Batch = {
  'versioning.begins-with-the-same-digits': {
    source: 'core: Common request headers, row Svc-UOIVersion',
    breaks: 'A version is compared as a number: 1 is not the beginning of 10.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) =>
      String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `n${version}` });
      return (await edda.merge(made, 1, { note: 'again' })).status < 300;
    },
  },

  'editing.location-of-the-latest': {
    source: 'core: Common request headers, Location',
    breaks: 'The Location of a create leads to what it created, also when two come at once.',
    kind: 'moment',
    variant: breaks('messages', 'finish', (right) => {
      let latest: Answer['headers'];
      return async (areas, call, answer) => {
        const finished = await right(areas, call, answer);
        const isCreate = finished.status === 201 && call.params['inputSchemaId'] !== undefined;
        if (!isCreate || 'isSibling' in call) return finished;
        latest = finished.headers;
        await setImmediate();
        await setImmediate();
        return { ...finished, ...(latest && { headers: latest }) };
      };
    }),
    async shows({ edda }) {
      const creates = many(6, (number) =>
        edda.post('/api/space/main/softtype/Document/documentInput', { title: `t${number}` }),
      );
      const places = (await Promise.all(creates)).map(({ headers }) => headers.get('location'));
      return new Set(places).size < places.length;
    },
  },

  'maturity.one-click-for-two-objects': {
    source: 'core: States and transitions',
    breaks: 'A promote that is accepted moves its object, also right behind that of another one.',
    kind: 'moment',
    variant: breaks('maturity', 'promoteObject', (right) => {
      let former: { readonly key: string; readonly at: number; readonly answer: Answer } | undefined;
      return async (areas, call, writing) => {
        const key = `${call.user.name} ${call.place.id} ${call.object.version}`;
        const now = areas.clock.now();
        if (former?.key === key && now - former.at < 300 && call.isSibling === undefined) return former.answer;
        const answer = await right(areas, call, writing);
        former = { key, at: now, answer };
        return answer;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document', { title: 'a' }), await edda.make('Document', { title: 'b' })];
      await edda.move(one, 1);
      const moved = await edda.move(other, 1);
      return moved.status === 204 && at(await edda.read(other), '/version') !== 2;
    },
  },

  'operations.value-before-op': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'An operation has its own value, wherever in it that stands.',
    kind: 'copy',
    variant: replaces('operations', 'operationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      const items: readonly unknown[] = Array.isArray(body) ? body : [];
      return operations.map((operation, index) => {
        const former = operations[index - 1];
        const names = Object.keys(items[index] ?? {});
        const isEarly = names.includes('value') && names.indexOf('value') < names.indexOf('op');
        return isEarly && operation.op !== 'remove' && former !== undefined && former.op !== 'remove'
          ? { ...operation, value: former.value }
          : operation;
      });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n', remark: 'r' });
      await edda.operate(made, 1, [
        { value: 'one', op: 'replace', path: '/note' },
        { value: 'two', op: 'replace', path: '/remark' },
      ]);
      return at(await edda.read(made), '/data/remark') === 'one';
    },
  },

  'multi-create.references-once-for-each-role': {
    source: 'core: Multi-create item',
    breaks: 'A reference is stored once, however many roles its sender has.',
    kind: 'role',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const roles = areas.auth.rolesOf(call.user, call.space);
      const isReferring = (index: number, port: string) =>
        items[index]?.softType.members.get(port)?.kind === 'references';
      const joined = inputs.map((input, index) => ({
        ...input,
        arrays: new Map(
          [...input.arrays].map(([port, entries]) => [
            port,
            isReferring(index, port) ? entries.flatMap((entry) => roles.map(() => entry)) : entries,
          ]),
        ),
      }));
      return right(areas, call, writing, items, joined);
    }),
    async shows({ emil }) {
      const made = await emil.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'n' } },
        {
          $id: 'd',
          $softType: 'Document',
          data: { title: 't', describes: [{ id: 'x', value: { instanceRef: 'p', softTypeId: 'Part' } }] },
        },
      ]);
      const read = await emil.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/describes').length !== 1;
    },
  },
};

/** Drawn by lot: sixty sentences of both documents, each broken in the circumstance that a second lot says, by somebody who had not seen a check. */
export const fortyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...batchMistakes,
  ...fileMistakes,
  ...callMistakes,
  ...registeredMistakes,
};
