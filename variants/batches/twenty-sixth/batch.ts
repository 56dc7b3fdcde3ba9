import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Step, type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, at, listAt, many, movePath, operationsPath, spaceFiles, versionHeader } from '../service.ts';
import type { AppliedFilter } from '../../../reference-server/areas/entries.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import type { SchemaView } from '../../../reference-server/configuration.ts';
import { always, callsOf, logged, named, registerEndpoint, scheduleTask } from '../proofs.ts';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { dropRegistration, registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { randomUUID } from 'node:crypto';
import type { TaskLink } from '../../../reference-server/areas/requests.ts';
import type { Entry } from '../../../simulator/extension/entry.ts';

const bulkRoute = '/admin/fileupload/main';

const filesMistakes: Batch = {
  'bulk.below-a-target-that-is-there': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure ends up in the target directory, also in one that an upload before has made.',
    kind: 'moment',
    variant: breaks('bulkUpload', 'bulkTargetOf', (right) => {
      const made = new Set<string>();
      return (areas, request) => {
        const names = right(areas, request);
        const isThere = made.has(names.join('/'));
        made.add(names.join('/'));
        return isThere && names.length > 0 ? [...names, basename(request.sourceDirectory)] : names;
      };
    }),
    async shows(service) {
      for (const name of ['first.txt', 'second.txt']) await bulkOf(service, name, name, 'target');
      return (await service.edda.get(`${spaceFiles}/target/second.txt`)).status !== 200;
    },
  },
};

/** A bulk upload of one file, from a directory of its own. */
async function bulkOf(service: Service, name: string, content: string, targetDirectory = '/'): Promise<void> {
  const sourceDirectory = join(await service.directory(), 'source');
  await mkdir(sourceDirectory);
  await writeFile(join(sourceDirectory, name), content);
  await service.bulk(bulkRoute, { sourceDirectory, writeLog: false, targetDirectory });
}

const readingMistakes: Batch = {
  'links.method-of-inner-pages': {
    source: 'core: Link object',
    breaks: 'The method of a link is the one of HTTP, in its letters, for an array inside an entry as well.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, ...rest) => {
      const link = right(areas, object, view, section, ...rest);
      return section.items === undefined ? link : { ...link, method: link.method.toLowerCase() };
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 'links', files: [{ name: 'one', revisions }] });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/method') === 'get');
    },
  },

  'filters.value-of-the-first-read': {
    source: 'core: Server side paging 5',
    breaks: 'A filter whose value is blank takes the value of the request, also when another request gave another one.',
    kind: 'copy',
    variant: breaks('entries', 'filterOf', (right) => {
      const known = new Map<string, AppliedFilter>();
      return (areas, call, softType, parameter) => {
        const key = [call.params.objectId, call.query.get(parameter)].join(' ');
        const applied = known.get(key) ?? right(areas, call, softType, parameter);
        if (applied !== undefined) known.set(key, applied);
        return applied;
      };
    }),
    async shows({ edda }) {
      const files = ['text', 'drawing', 'text'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'filters', files });
      const read = (value: string) => edda.read(made, `?softTypeFilterId=byCategory&fileGroup.category=${value}`);
      await read('text');
      return listAt(await read('drawing'), '/data/files').length !== 1;
    },
  },
};

const editingMistakes: Batch = {
  'merge.other-arrays-as-read': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge that names one array leaves the others as they are, beyond what a first read shows as well.',
    kind: 'combination',
    variant: replaces('editing', 'replaceArrays', async (right, areas, call, writing, object, softType, arrays) => {
      const others = softType.members.entries().filter(([port, member]) => isArrayMember(member) && !arrays.has(port));
      for (const [port] of arrays.size === 0 ? [] : others) {
        const shown = await writing.entries(object.oid, port, areas.entries.firstReadRange());
        await writing.replaceEntries(object.oid, port, shown);
      }
      return right(areas, call, writing, object, softType, arrays);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'merge', files: named(12) });
      await edda.merge(made, 1, { contacts: named(1) });
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 2;
    },
  },

  'operations.names-of-the-last-edit': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path is one into the input schema, also after an edit by a schema that holds less.',
    kind: 'copy',
    variant: pathsByTheLastEdit(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'paths' });
      const brief = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', brief, { headers: versionHeader(1), body: { note: 'brief' } });
      return (await edda.operate(made, 2, [{ op: 'add', path: '/label', value: 'label' }])).status >= 400;
    },
  },
};

function pathsByTheLastEdit(): Variant {
  return (classes) => {
    const views = new Map<string, SchemaView>();
    return together(
      replaces('editing', 'inputViewOf', (right, areas, call, object) => {
        const found = right(areas, call, object);
        views.set(object.oid, found.view);
        return found;
      }),
      replaces('operations', 'targetOf', (right, areas, run, operation) =>
        right(areas, { ...run, view: views.get(run.object.oid) ?? run.view }, operation),
      ),
    )(classes);
  };
}

const batch = new Step();

/** Tells what is done for a batch. */
const inBatch = replaces('batch', 'runBatch', (right, areas, ...args) => batch.run(() => right(areas, ...args)));

const batchMistakes: Batch = {
  'batch.reads-without-a-limit': {
    source: 'core: Server side paging 1',
    breaks: 'An array of a read holds at most 10 entries, a read in a batch as well.',
    kind: 'combination',
    variant: together(
      inBatch,
      replaces('entries', 'firstReadRange', (right, areas) => (batch.isOn() ? { from: 0, to: 1000 } : right(areas))),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'read', files: named(11) });
      return listAt((await edda.batch([{ method: 'GET', href: made.path }])).json, '/0/body/data/files').length > 10;
    },
  },

  'batch.letters-of-a-header': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The content type makes a PATCH one of operations, however the name of its header is written in a batch.',
    kind: 'value',
    survives: 'The headers of an operation are members of a JSON object; that their letters do not count is not said.',
    variant: replaces('batch', 'operationHeaders', (right, areas, call, operation) => {
      const known = ([name]: readonly [string, string]): boolean =>
        name === 'Content-Type' || name.toLowerCase() !== 'content-type';
      const headers = Object.fromEntries(Object.entries(operation.headers).filter(known));
      return right(areas, call, { ...operation, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'letters' });
      const headers = { ...versionHeader(1), 'content-type': mediaTypes.operations };
      const body = [{ op: 'add', path: '/note', value: 'note' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status !== 200;
    },
  },
};

const part = { $id: 'part', $softType: 'Part', data: { name: 'referred to' } };

const multiCreateMistakes: Batch = {
  'multi-create.known-from-before': {
    source: 'core: Multi-create item',
    breaks: 'The $id of an item means nothing beyond its request: the same list sent twice makes instances twice.',
    kind: 'copy',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const answers = new Map<string, Answer>();
      return async (areas, call, writing) => {
        const key = [call.user.name, call.url, call.body?.toString()].join(' ');
        const answer = answers.get(key) ?? (await right(areas, call, writing));
        answers.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.multiCreate([part]), await edda.multiCreate([part])];
      return at(one.json, '/0/href') === at(other.json, '/0/href');
    },
  },
};

const metadataMistakes: Batch = {
  'metadata.whole-seconds': {
    source: 'extensions: Extension metadata record',
    breaks: 'The request timeout of a record is a number of seconds, whole or not.',
    kind: 'value',
    survives: 'A registration states whole seconds, and no sentence says what a fraction in a record comes to.',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) => Math.ceil(right(areas, record))),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 2.5 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(0.5, 8);
      return (await logged(service, 'timeout')).some((entry) => at(entry, '/wait') !== 2.5);
    },
  },
};

const registrationMistakes: Batch = {
  'registration.one-a-key': {
    source: 'extensions: Registration routes',
    breaks: 'An extension that is registered stays so, also when another one is registered with the same key.',
    kind: 'copy',
    variant: replaces('registrations', 'createExtension', async (right, areas, call) => {
      const answer = await right(areas, call);
      await areas.store.change(async (writing) => {
        for (const former of await registrationsOf(writing, 'svcExtension'))
          if (
            former.kind === 'svcExtension' &&
            former.apiKey === call.json.apiKey &&
            former.id !== at(answer.body, '/id')
          )
            await dropRegistration(writing, former);
      });
      return answer;
    }),
    async shows({ host, edda }) {
      for (const id of ['one', 'two']) await host(() => [{ id }]);
      return (await edda.sendEvent('one')).status >= 400;
    },
  },

  'registration.name-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has the fields of a simple one, whose name may be left out.',
    kind: 'place',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
      const endpoint = right(areas, body);
      if (endpoint.name === undefined) throw new Refusal(400, 'There is no name.');
      return endpoint;
    }),
    async shows(service) {
      const { status } = await registerEndpoint(service, 'trustedExternalEndpoint', { url: service.url });
      return status >= 400;
    },
  },

  'keys.brought-once': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Keys that are asked for are brought to the callback, also those that were brought before.',
    kind: 'moment',
    variant: replaces('apiKeys', 'bringKeys', async (right, areas, call, holder, request, keys) =>
      keys.some(({ fresh }) => fresh) ? right(areas, call, holder, request, keys) : { status: 204 },
    ),
    async shows({ host, cora }) {
      const permissions = ['AdministrationAPI'];
      const holder = await host((url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions } }]);
      const route = '/api/collection/externalExtension/acquireAccessToken/event';
      for (let count = 0; count < 2; count += 1)
        await cora.post(route, { tokenCallback: `${holder.url}/keys`, permissions });
      return holder.entries(({ path, json }) => path === '/keys' && isContent(json)).length < 2;
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' };

const action = { id: 'action', extensionType: 'ExternalAction' };

const actionRoute = '/api/space/main/externalAction/action';

const validator = {
  id: 'validation',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

function linkOf(entry: Entry | undefined, id: string): string {
  const links = listAt(entry?.json, '/payload/links');
  return String(
    at(
      links.find((link) => at(link, '/id') === id),
      '/url',
    ),
  );
}

const taskMistakes: Batch = {
  'tasks.links-by-input': {
    source: 'extensions: External task links',
    breaks: 'The links of a task report to its own job, also when another job had the same input.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const known = new Map<string, readonly TaskLink[]>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const links = known.get(inputPath) ?? right(areas, spaceId, jobId, inputPath, token);
        known.set(inputPath, links);
        return links;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      const job = await scheduleTask(service);
      return !linkOf(callsOf(host, 'task')[1], 'taskStatus').includes(job);
    },
  },
};

const payloadMistakes: Batch = {
  'actions.context-that-is-selected': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action in the context module is told the context object, also when that is what is selected.',
    kind: 'value',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) => {
      const isSame = body['contextObjectId'] === selected?.oid;
      return right(areas, call, reading, isSame ? { ...body, contextObjectId: undefined } : body, selected);
    }),
    async shows({ host, edda }) {
      const called = await host(() => [action]);
      const { oid } = await edda.make('Document', { title: 'context' });
      await edda.post(actionRoute, { kind: 'ribbon', objectId: oid, contextObjectId: oid });
      return at(callsOf(called, 'action')[0]?.json, '/payload/contentPayload/contextObject/$oid') !== oid;
    },
  },
};

const deliveryMistakes: Batch = {
  'events.correlation-of-one-call': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of a request is that of the calls it triggers, of the second one as well.',
    kind: 'combination',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const used = new Set<string>();
      return (areas, call) => {
        const id = right(areas, call);
        if (used.has(id)) return randomUUID();
        used.add(id);
        return id;
      };
    }),
    async shows({ host, edda }) {
      const called = await host(() => [validator, { ...validator, id: 'other' }]);
      const made = await edda.make('Document', { title: 'correlated' });
      const id = randomUUID();
      const headers = { ...versionHeader(1), [headerNames.correlationId]: id };
      await edda.send('PUT', movePath(made), { headers });
      return callsOf(called, 'validation').some(({ envelope }) => envelope?.id !== id);
    },
  },
};

/** Mistakes about sentences of both documents that were drawn by lot. */
export const twentySixth: Batch = {
  ...readingMistakes,
  ...editingMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...taskMistakes,
  ...payloadMistakes,
  ...deliveryMistakes,
  ...metadataMistakes,
  ...registrationMistakes,
};
