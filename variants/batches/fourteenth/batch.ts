import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Received, type Service, at, listAt, many } from '../service.ts';
import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { callsTo, logged, named, registerEndpoint } from '../proofs.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';

const multiCreateMistakes: Batch = {
  'multi-create.two-that-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may reference each other, both at once as well.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      const targets = inputs.map(({ arrays }) =>
        [...arrays.values()].flat().map(({ content }) => at(content, '/value/$oid')),
      );
      for (const [index, { oid }] of items.entries())
        for (const [other, candidate] of items.entries())
          if (index !== other && targets[index]?.includes(candidate.oid) && targets[other]?.includes(oid))
            throw new Refusal(422, 'The references go round in a circle.');
      return right(areas, call, writing, items, inputs);
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([
        { $id: 'd', $softType: 'Document', data: { title: 'document', describes: [referenceTo('p', 'Part')] } },
        { $id: 'p', $softType: 'Part', data: { name: 'part', describedBy: [referenceTo('d', 'Document')] } },
      ]);
      return answer.status >= 400;
    },
  },

  'multi-create.arrays-inside-entries': {
    source: 'core: Multi-create item',
    breaks: 'An instance is created with all of its data, arrays inside entries included.',
    kind: 'place',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const shallow = inputs.map((input) => ({
        ...input,
        arrays: new Map(
          [...input.arrays].map(([port, entries]) => [
            port,
            entries.map((entry) => ({ ...entry, content: withoutArrays(entry.content) })),
          ]),
        ),
      }));
      return right(areas, call, writing, items, shallow);
    }),
    async shows({ edda }) {
      const files = [{ name: 'file', revisions: [{ text: 'first' }] }];
      const { json } = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data: { title: 'nested', files } }]);
      const read = await edda.get(String(at(json, '/0/href')));
      return listAt(read.json, '/data/files/0/revisions').length !== 1;
    },
  },
};

/** Level and version of the last promote, by object id. */
const lastPromotes = new Map<string, { readonly levelId: string; readonly version: number }>();

const maturityMistakes: Batch = {
  'maturity.stale-promote-of-another-level': {
    source: 'core: Errors 1',
    breaks: 'A promote for an older version is refused, also when only another level was promoted since.',
    kind: 'combination',
    variant: together(
      replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        lastPromotes.set(call.object.oid, { levelId: call.place.id, version: call.object.version + 1 });
        return answer;
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const last = lastPromotes.get(object.oid);
        const isOtherLevel = call.url.includes('/promote/') && last?.levelId !== call.params['levelId'];
        if (!isOtherLevel || last?.version !== object.version) return right(areas, call, object);
        const isBefore = areas.versioning.versionHeaderOf(call) === object.version - 1;
        return isBefore ? object.version : right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'levels' });
      await edda.move(made, 1);
      return (await edda.move(made, 1, 'promote', 'approval')).status !== 409;
    },
  },
};

function withoutArrays(content: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value)));
}

function referenceTo(instanceRef: string, softTypeId: string) {
  return { id: instanceRef, value: { instanceRef, softTypeId } };
}

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

const readingMistakes: Batch = {
  'paging.one-page-too-many': {
    source: 'core: Server side paging 2',
    breaks: 'An array of twenty entries has two pages.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.floor(total / 10) + 1),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twenty', files: named(20) });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/sectionPath') === 'files');
      return at(link, '/pages') !== 2;
    },
  },

  'paging.long-reference-port': {
    source: 'core: Server side paging 1',
    breaks: 'Every array of a read has at most ten entries, one of references as well.',
    kind: 'place',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      if (section.member.kind !== 'references') return right(areas, reading, object, section, filter);
      const entries = await areas.entries.entriesOf(reading, object, section, whole, filter);
      return { section, entries, total: entries.length };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'described' });
      const describes = many(12, () => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 'references', describes });
      return listAt(await edda.read(made), '/data/describes').length > 10;
    },
  },
};

const accessMistakes: Batch = {
  'auth.personal-token-of-an-administrator': {
    source: 'core: Authentication 1',
    breaks: 'Collection routes accept a personal access token as space routes do.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      if (!call.url.startsWith('/api/collection/') || credentials?.scheme !== 'bearer') return right(areas, call);
      if (!credentials.token.includes('.')) throw areas.tokens.unusableToken('Expected a JWT.');
      return right(areas, call);
    }),
    shows: async ({ cora }) => (await cora.get('/api/collection/space')).status === 401,
  },

  'auth.unguarded-prefix': {
    source: 'core: Authentication 6',
    breaks: 'Without a token nothing is created, also not by the one route whose path has no api before it.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const [somebody] = areas.configuration.users.values();
      const isOpen = call.method === 'POST' && call.url.startsWith('/space/') && !('authorization' in call.headers);
      return isOpen && somebody !== undefined ? somebody : right(areas, call);
    }),
    async shows({ nobody }) {
      const items = [{ $id: 'one', $softType: 'Part', data: { name: 'nobody' } }];
      return (await nobody.multiCreate(items)).status !== 401;
    },
  },

  'headers.correlation-of-mail': {
    source: 'core: Common request headers',
    breaks: 'A correlation id that is given is passed on to every extension, to one that sends mail as well.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      return triggered.kind === 'email' ? { ...delivery, envelopeId: randomUUID() } : delivery;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const correlationId = randomUUID();
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail, {
        [headerNames.correlationId]: correlationId,
      });
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && call.envelope?.id !== correlationId;
    },
  },
};

const deliveryMistakes: Batch = {
  'delivery.even-gaps-of-a-validation': {
    source: 'extensions: Limits',
    breaks: 'The retries of a validation follow after 2, 4 and 8 seconds.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) => {
      const even = within(areas, { policies: { nextRetryDelay: () => 2000 } });
      return right(delivery.kind === 'validation' ? even : areas, delivery, retries);
    }),
    async shows(service) {
      await service.host(() => [validator], always(503));
      await promoteInTime(service);
      const waits = (await logged(service, 'transient-error')).map((entry) => at(entry, '/wait'));
      return waits.length === 3 && waits.join() !== '2,4,8';
    },
  },

  'delivery.log-of-a-refusal': {
    source: 'extensions: Errors 3',
    breaks: 'The removal of an event is logged, also when it was refused at its first attempt.',
    kind: 'combination',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      const isRefused = outcome.kind === 'answered' && outcome.status < 500;
      return isRefused ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always(400));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'failed')).length > 0 && (await logged(service, 'removed')).length === 0;
    },
  },

  'delivery.log-of-the-second-pause': {
    source: 'extensions: Errors 3',
    breaks: 'It is logged when the rate limit is exceeded, each time.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        const isAgain = entry.kind === 'rate-limit' && told.has(entry.endpoint);
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        if (!isAgain) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 4; count += 1) await service.edda.sendEvent();
      await service.pass(10, 14);
      return (await logged(service, 'rate-limit')).length === 1;
    },
  },

  'delivery.count-of-endless-retries': {
    source: 'extensions: Errors 3',
    breaks:
      'The entry about a transient error tells the number of the retry out of infinity where retries have no end.',
    kind: 'place',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const finite = policy && { ...policy, retries: Math.min(policy.retries, 5) };
      return right(areas, delivery, finite, outcome, step);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', retryForever: true }], always(503));
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return at((await logged(service, 'transient-error'))[0], '/total') === 5;
    },
  },
};

const validator = {
  id: 'validation',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** Answers every call by the status. */
function always(status: number): Script {
  return [{ steps: [{ status }], afterwards: 'last' }];
}

/** Promotes an object while time goes by. */
async function promoteInTime({ edda, pass }: Service): Promise<void> {
  const made = await edda.make('Document', { title: 'validated' });
  const over = new AbortController();
  const promote = edda.move(made, 1).finally(() => over.abort());
  while (!over.signal.aborted) await pass(5);
  await promote;
}

const editingMistakes: Batch = {
  'editing.put-keeps-references': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is gone, an array of references as well.',
    kind: 'place',
    variant: replaces('editing', 'arraysAfterPut', (right, areas, softType, given) => {
      const all = [...right(areas, softType, given)];
      return new Map(all.filter(([port]) => given.has(port) || softType.members.get(port)?.kind !== 'references'));
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'described' });
      const made = await edda.make('Document', { title: 'put', describes: [{ value: { $oid: oid } }] });
      await edda.replace(made, 1, { title: 'put' });
      return listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },

  'versioning.entries-of-a-creation': {
    source: 'core: Errors 201',
    breaks: 'The version header of a creation has the version of the object, also when it was created with entries.',
    kind: 'combination',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const object = await writing.object(call.space.id, oid);
      const hasEntries = isContent(call.json) && Object.values(call.json).some((value) => Array.isArray(value));
      if (object === undefined || !hasEntries) return answer;
      await writing.updateObject(object.spaceId, oid, areas.versioning.nextVersion(object.version), object.content);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entries', files: named(2) });
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'versioning.header-counts-operations': {
    source: 'core: Common request headers',
    breaks: 'A PATCH returns the new version, which is one more, however many operations it has.',
    kind: 'combination',
    variant: replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      await right(areas, call, writing);
      return areas.versioning.editedAnswer(call.object.version + Math.max(1, call.json.length));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'operations' });
      const operations = ['note', 'remark'].map((member) => ({ op: 'add', path: `/${member}`, value: member }));
      const answer = await edda.operate(made, 1, operations);
      return answer.headers.get(headerNames.version) !== String(at(await edda.read(made), '/version'));
    },
  },
};

const operationsMistakes: Batch = {
  'operations.order-of-members': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation may stand in any order.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const [first] = isContent(item) ? Object.keys(item) : [];
      if (first !== 'op') throw new Refusal(400, 'An operation begins with op.', { pointer });
      return right(areas, item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'order' });
      return (await edda.operate(made, 1, [{ value: 'added', path: '/note', op: 'add' }])).status >= 400;
    },
  },

  'operations.cascade-in-one-port': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that loses a mandatory member is removed, in whatever array of whatever SoftType.',
    kind: 'place',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      if (entry.port === 'files') await right(areas, run, entry);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'part', usages: named(2) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/usages/1/name' }]);
      return listAt(await edda.read(made), '/data/usages').length !== 1;
    },
  },

  'operations.add-beside-a-sibling': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that is added inside an object stands beside those that are there.',
    kind: 'place',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const [holder, member] = target.steps;
      if (target.row.entry !== undefined || holder === undefined || member === undefined || target.value !== undefined)
        return right(areas, run, target, value);
      return right(areas, run, { ...target, steps: [holder] }, { [member.name]: value });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'beside', dimensions: { width: '1' } });
      await edda.operate(made, 1, [{ op: 'add', path: '/dimensions/height', value: '2' }]);
      return at(await edda.read(made), '/data/dimensions/width') !== '1';
    },
  },
};

const callsMistakes: Batch = {
  'calls.trusted-endpoint-switched-off': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'An endpoint that is switched off gets no call, a trusted one neither.',
    kind: 'place',
    variant: replaces('callees', 'isActive', (right, areas, registration) => {
      return registration.kind === 'trustedExternalEndpoint' || right(areas, registration);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook`, tokenLifeTime: 60, active: false };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook' });
      await service.pass(1);
      return host.entries(({ path }) => path === '/hook').length > 0;
    },
  },

  'calls.filter-of-an-action': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The information filter in the payload of an action is Base64.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
      const informationFilter = Buffer.from(String(payload['informationFilter']), 'base64').toString();
      return right(areas, call, { ...triggered, payload: { ...payload, informationFilter } });
    }),
    async shows(service) {
      const host = await actionHost(service);
      await runAction(service, { kind: 'ribbon' });
      return at(callsTo(host)[0]?.json, '/payload/informationFilter') === '{}';
    },
  },

  'calls.context-without-a-selection': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'A ribbon action names a selected object only where one is selected, in the object context module too.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const contextObject = at(payload, '/contentPayload/contextObject');
      if (contextObject === undefined || selected !== undefined) return payload;
      return { contentPayload: { contextObject, selectedObject: contextObject } };
    }),
    async shows(service) {
      const host = await actionHost(service);
      const { oid } = await service.edda.make('Document', { title: 'context' });
      await runAction(service, { kind: 'ribbon', contextObjectId: oid });
      return at(callsTo(host)[0]?.json, '/payload/contentPayload/selectedObject') !== undefined;
    },
  },
};

/** Correlation ids of the requests that scheduled a task, by its job. */
const schedulers = new Map<string, string>();

const tasksMistakes: Batch = {
  'tasks.id-of-the-request': {
    source: 'extensions: Call envelope',
    breaks: 'The call of a task has the id of its job, also when the request that scheduled it had a correlation id.',
    kind: 'combination',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        if (triggered.kind === 'task' && call.correlationGiven) schedulers.set(triggered.id, call.correlationId);
        return right(areas, call, triggered);
      }),
      replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const id = schedulers.get(delivery.id);
        return id === undefined ? request : { ...request, body: JSON.stringify({ ...bodyOf(request), id }) };
      }),
    ),
    async shows(service) {
      const headers = { [headerNames.correlationId]: randomUUID() };
      const { host, job } = await scheduleTask(service, headers);
      return at(callsTo(host)[0]?.json, '/id') !== job.split('/').at(-1);
    },
  },
};

function actionHost({ host }: Service): Promise<ExtensionHost> {
  return host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
}

function runAction({ edda }: Service, body: object): Promise<Received> {
  return edda.post('/api/space/main/externalAction/action', body);
}

/** A task that has been called, and the path of its job. */
async function scheduleTask(
  service: Service,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly host: ExtensionHost; readonly job: string }> {
  const steps = [{ status: 200 }];
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }], [{ steps }]);
  const answer = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' }, headers);
  await service.pass(1);
  return { host, job: answer.headers.get('location') ?? '' };
}

function bodyOf({ body = '{}' }: { readonly body?: string }): object {
  return Object(JSON.parse(body));
}

/** What a team does that follows the documents for the first time, sentence by sentence, in a hurry and with ideas of its own. */
export const fourteenth: Batch = {
  ...readingMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...multiCreateMistakes,
  ...maturityMistakes,
  ...accessMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...deliveryMistakes,
};
