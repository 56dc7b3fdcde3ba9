import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, claimsIn, logged, named, registerEndpoint, scheduleTask } from '../proofs.ts';
import { type Received, type Service, at, editPath, listAt, movePath, versionHeader } from '../service.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';

const tasksMistakes: Batch = {
  'tasks.links-by-their-input': {
    source: 'extensions: External task links',
    breaks: 'The link taskStatus leads to the job of the call, also when an earlier one had the same input.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const kept = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const links = right(areas, spaceId, jobId, inputPath, token);
        const status = links.find(({ id }) => id === 'taskStatus');
        const url = kept.get(inputPath) ?? status?.url ?? '';
        kept.set(inputPath, url);
        return links.map((link) => (link.id === 'taskStatus' ? { ...link, url } : link));
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      await scheduleTask(service);
      const [first, second] = callsOf(host, 'task').map(({ json }) => at(json, '/payload/links/2/url'));
      return first !== undefined && first === second;
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' } as const;

const manyMistakes: Batch = {
  'batch.version-as-a-text': {
    source: 'core: Batch result',
    breaks: 'The version in the result of an edit is an integer.',
    kind: 'value',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const isEdit = call.method !== 'POST' && isContent(body) && body['version'] !== undefined;
      return isEdit ? { ...body, version: String(body['version']) } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'batch' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'edited' } };
      return at((await edda.batch([edit])).json, '/0/body/version') !== 2;
    },
  },

  'batch.letters-of-one-byte': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is the payload of the request, in whatever script it is written.',
    kind: 'value',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const { call, route } = right(areas, ...args);
      const body = call.body && Buffer.from(call.body.toString('utf8'), 'latin1');
      return { route, call: { ...call, body } };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: '/api/space/main/softtype/Document/documentInput' };
      return (await edda.batch([{ ...create, body: { title: 'Prüfung' } }])).status !== 200;
    },
  },

  'multi-create.without-its-last-item': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are created in one change set: none when the last is wrong.',
    kind: 'place',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!Array.isArray(call.json) || call.json.length < 3) throw error;
        return right(areas, { ...call, json: call.json.slice(0, -1) }, writing);
      }
    }),
    async shows({ edda }) {
      return (await edda.multiCreate([part('a'), part('b'), { ...part('c'), data: {} }])).status < 400;
    },
  },
};

const accessMistakes: Batch = {
  'calls.mail-of-the-first-caller': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action is told the address of whoever triggers it, whoever did so before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const addresses = new Map<string | undefined, unknown>();
      return (areas, call, triggered) => {
        const { kind, payload, recordId } = triggered;
        if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
        const email = addresses.get(recordId) ?? payload['email'];
        addresses.set(recordId, email);
        return right(areas, call, { ...triggered, payload: { ...payload, email } });
      };
    }),
    async shows({ host, edda, emil }) {
      const called = await host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      for (const user of [edda, emil]) await user.post('/api/space/main/externalAction/action', { kind: 'ribbon' });
      const [first, second] = callsTo(called).map(({ json }) => at(json, '/payload/email'));
      return first === second && claimsIn(callsTo(called)[1]) !== null;
    },
  },
};

function part($id: string) {
  return { $id, $softType: 'Part', data: { name: `part ${$id}` } };
}

const deliveryMistakes: Batch = {
  'delivery.timeout-of-the-last-attempt': {
    source: 'extensions: Errors 3',
    breaks: 'Every request timeout is logged, that of the last attempt as well.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).filter(({ kind }) => kind !== 'timeout' || step.kind === 'retry'),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'event', requestTimeout: 2 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(35, 14);
      return (await logged(service, 'timeout')).length === 5;
    },
  },

  'delivery.removal-behind-a-retry': {
    source: 'extensions: Events 3',
    breaks: 'A delivery that fails for good leaves an entry about its removal, also when it was retried before.',
    kind: 'combination',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      const isLater = 'attempts' in delivery && delivery.attempts !== 0 && !areas.policies.isTransient(outcome);
      return isLater ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }, { status: 404 }] }]);
      await service.edda.sendEvent();
      await service.pass(2, 3);
      const [failed, removed] = [await logged(service, 'failed'), await logged(service, 'removed')];
      return failed.length > 0 && removed.length === 0;
    },
  },
};

const callsMistakes: Batch = {
  'calls.token-of-another-endpoint': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no token, also when a trusted one at its host got one before.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const queries = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const url = new URL(await right(areas, delivery, callee));
        if (callee.endpoint.kind === 'trustedExternalEndpoint') queries.set(url.origin, url.search);
        else url.search ||= queries.get(url.origin) ?? '';
        return url.href;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'trusted', url: `${host.url}/trusted` });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      for (const id of ['trusted', 'hook']) {
        await service.edda.sendToEndpoint(id);
        await service.pass(1);
      }
      return callsTo(host)[1]?.target.includes('access_token') === true;
    },
  },

  'calls.token-of-a-retry': {
    source: 'extensions: Calls to extensions',
    breaks: 'The call of a task has the token in its query, also when it is made again.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      return attempt > 1 && delivery.kind === 'task' ? { ...request, url: callee.url } : request;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'task', extensionType: 'ExternalTask' }],
        [{ steps: [{ status: 503 }] }],
      );
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(2, 3);
      return callsTo(host)[1]?.target.includes('token') === false;
    },
  },

  'registration.content-type-by-letter': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The content type has to be among the headers, in whatever case its name is written.',
    kind: 'value',
    survives:
      'That the name may be written in another case than that of the document is not said: its case records it.',
    variant: replaces('registrations', 'requireHeaders', (right, areas, headers) => {
      if (!headers.some(({ name }) => name === 'content-type')) throw new Refusal(400, 'Expected a content-type.');
      right(areas, headers);
    }),
    async shows(service) {
      const headers = [{ ...contentType, name: 'Content-Type' }];
      return (await registerEndpoint(service, 'externalEndpoint', { url: service.url, headers })).status >= 400;
    },
  },

  'validation.behind-another-capability': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'The capability SoftType lists what a validation applies to, also where it is not the first capability.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const validators = await right(areas, reading, softTypeId);
      return validators.filter(({ record }) => record.capabilities?.[0]?.capabilityType === 'SoftType');
    }),
    async shows(service) {
      const other = { capabilityType: 'BaseType', capabilities: ['Anything'] };
      const host = await service.host(() => [validator([other, forDocuments])]);
      await promoted(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
};

const contentType = { name: 'content-type', value: 'application/json' };

const forDocuments = { capabilityType: 'SoftType', capabilities: ['Document'] };

function validator(capabilities: readonly (typeof forDocuments)[]) {
  return { id: 'validation', extensionType: 'ExternalValidation' as const, capabilities: [...capabilities] };
}

async function promoted({ edda }: Service): Promise<Received> {
  return edda.move(await edda.make('Document', { title: 'promoted' }), 1);
}

const readingMistakes: Batch = {
  'reading.trimmed-texts': {
    source: 'core: What the service does',
    breaks: 'What is stored is what was sent, blanks at its ends included.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      const trimmed = Object.entries(isContent(body) ? body : {}).map(([name, value]) => {
        return [name, typeof value === 'string' ? value.trim() : value] as const;
      });
      return right(areas, rules, softType, view, isContent(body) ? Object.fromEntries(trimmed) : body);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'trimmed', note: ' between blanks ' });
      return at(await edda.read(made), '/data/note') !== ' between blanks ';
    },
  },

  'reading.schema-of-the-read-before': {
    source: 'core: SoftType read response',
    breaks: 'The data of a read is that of the output schema asked for, whatever schema was asked for before.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, call, reading, object, view, assemble) => {
        const answer = () => right(areas, call, reading, object, view, assemble);
        if ('insertObject' in reading) return answer();
        const key = `${object.oid} ${object.version} ${areas.memory.rightsOf(call)}`;
        kept.set(key, kept.get(key) ?? answer());
        return kept.get(key) ?? answer();
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'two schemas', note: 'in one of them' });
      await edda.read(made);
      const summary = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      return at(summary.json, '/data/note') !== undefined;
    },
  },
};

const pagingMistakes: Batch = {
  'paging.counts-of-the-first-array': {
    source: 'core: Server side paging 2',
    breaks: 'The page link of each array tells of that array.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const links = right(areas, ...args);
      const [first] = links.flatMap((link) => (link.rel === 'page' ? [link] : []));
      return links.map((link) =>
        link.rel === 'page' && first?.pages !== undefined && first.totalNumber !== undefined
          ? { ...link, pages: first.pages, totalNumber: first.totalNumber }
          : link,
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'two arrays', files: named(12), contacts: named(25) });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/sectionPath') === 'contacts');
      return at(link, '/totalNumber') !== 25;
    },
  },

  'paging.first-page-of-the-first-time': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is what a read includes, also after an edit, when it was fetched before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>['data']>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        if (page > 0 || filter !== undefined) return body;
        const key = `${object.oid} ${view.id} ${section.path}`;
        const data = kept.get(key) ?? body.data;
        kept.set(key, data);
        return { ...body, data };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'page', files: named(12) });
      await edda.page(made, 'files', 0);
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/3/name', value: 'edited' }]);
      return at((await edda.page(made, 'files', 0)).json, '/data/2/name') !== 'edited';
    },
  },
};

const writingMistakes: Batch = {
  'versioning.one-for-each-operation': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'A list of operations is one edit, and the version one more.',
    kind: 'value',
    variant: replaces(
      'versioning',
      'versionAfterOperations',
      (right, areas, object, operations) => right(areas, object, operations) + Math.max(0, operations.length - 1),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'three' });
      const operations = ['note', 'remark', 'label'].map((name) => ({ op: 'add', path: `/${name}`, value: name }));
      return (await edda.operate(made, 1, operations)).headers.get('svc-uoiversion') !== '2';
    },
  },

  'versioning.version-to-come': {
    source: 'core: Versioning 3',
    breaks: 'A version that the object has not reached yet is not that of the server.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => sent >= current),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ahead' });
      return (await edda.merge(made, 2, { note: 'too soon' })).status !== 409;
    },
  },

  'versioning.header-of-a-demote': {
    source: 'core: Common request headers',
    breaks: 'Every PUT answers with the new version, a demote as well.',
    kind: 'place',
    variant: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const { status } = await right(areas, call, writing);
      return { status };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demote' });
      await edda.move(made, 1);
      return !(await edda.put(movePath(made, 'demote'), 2)).headers.has('svc-uoiversion');
    },
  },

  'operations.replace-adds-to-an-entry': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'What is replaced has to exist, a member of an entry too.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, pointer) => {
      const isMissing = target.kind === 'member' && target.value === undefined && target.row.entry !== undefined;
      return isMissing
        ? areas.operations.addValue(run, target, value, pointer)
        : right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entry', files: named(1) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/comment', value: 'new' }])).status < 400;
    },
  },

  'operations.value-before-its-path': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'Members of an operation may come in any order, the value ahead of the path as well.',
    kind: 'place',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const names = Object.keys(isContent(item) ? item : {});
      if (names.includes('value') && names.indexOf('value') < names.indexOf('path'))
        throw new Refusal(400, 'Expected a path before the value.');
      return right(areas, item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'order' });
      return (await edda.operate(made, 1, [{ op: 'add', value: 'first', path: '/note' }])).status >= 400;
    },
  },
};

/**
 * Sixty mistakes of sentences that a lot was cast for: all sentences and table rows of both documents were numbered, and drawn one after the
 * other; what cannot be seen from outside and what the documents leave open was drawn again. Most look for what is true the second time.
 */
export const twentieth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...tasksMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
};
