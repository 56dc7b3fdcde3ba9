import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension, logged, named, reached, scheduleTask } from '../proofs.ts';
import { type Service, at, editPath, listAt, many, signatureOver, spaceFiles } from '../service.ts';
import type { FileRecord } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { keyPeriodSeconds } from '../../../contract/limits.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { headerNames } from '../../../contract/names.ts';
import { callsMistakes } from './calls.ts';

const readingMistakes: Batch = {
  'paging.rel-after-a-promote': {
    source: 'core: Link object, rel',
    breaks: 'The link to the pages of an array has the rel page, whatever state the object has reached.',
    kind: 'moment',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, ...rest) => {
      const link = right(areas, object, ...rest);
      return storedStates(object)['engineering']?.state === 'reviewed' ? { ...link, rel: 'pages' } : link;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.move(made, 1);
      return pageLinks(await edda.read(made)).length === 0;
    },
  },
  'paging.encoded-template': {
    source: 'core: Server side paging 3',
    breaks: 'The template of the page number stands in the link as it is, also where a value of the request filters.',
    kind: 'value',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      const isGiven = filter !== undefined && filter.filter.equals === undefined;
      return isGiven ? href.replace('{pageNumber}', '%7BpageNumber%7D') : href;
    }),
    async shows({ edda }) {
      const files = many(11, (index) => ({ name: `n${index}`, category: 'a' }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a');
      return !String(at(pageLinks(read)[0], '/href')).includes('{pageNumber}');
    },
  },
};

function pageLinks(read: unknown): readonly unknown[] {
  return listAt(read, '/links').filter((link) => at(link, '/rel') === 'page');
}

const userFiles = '/api/space/main/user/fs/file';

const filesMistakes: Batch = {
  'files.a-part-of-a-file-stays': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A client can delete what an upload in chunks has left that came to no end, in any area.',
    kind: 'place',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      if (place.area.kind === 'user' && (await areas.fileAreas.uploadUnderWay(place)) !== undefined)
        throw new Refusal(409, 'An upload is under way.');
      return right(areas, place);
    }),
    async shows({ edda }) {
      await edda.sendChunk('part.txt', ['abcd', 'ef'], 1, userFiles);
      await edda.delete(`${userFiles}/part.txt`);
      return (await edda.upload('part.txt', 'whole', userFiles)).status >= 300;
    },
  },
  'caching.tag-of-the-file-before': {
    source: 'core: Common request headers, text below',
    breaks: 'The tag of a file is that of the file that is there now, not of one that was deleted from its place.',
    kind: 'copy',
    survives:
      'Whether files have tags, and what these tell, is not said (etag-resources, download-metadata-headers): a tag that stays is remarked.',
    variant: breaks('fileAreas', 'fileRecordOf', (right) => {
      const records = new Map<string, FileRecord>();
      return async (areas, place, stamp) => {
        const id = JSON.stringify(place);
        const record = records.get(id) ?? (await right(areas, place, stamp));
        if (record !== undefined && !record.growing) records.set(id, record);
        return record;
      };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/a.txt`;
      await edda.upload('a.txt', 'before');
      const tag = (await edda.get(path)).headers.get('etag');
      await edda.delete(path);
      await edda.upload('a.txt', 'after it');
      return (await edda.get(path)).headers.get('etag') === tag;
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' };

const tasksMistakes: Batch = {
  'tasks.status-with-an-empty-object': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'No member of the body of a status report has to be there.',
    kind: 'value',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      if (call.json !== undefined && Object.keys(call.json).length === 0)
        throw new Refusal(422, 'Expected a path, found none.');
      return right(areas, call);
    }),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      return (await service.edda.put(`${job}/status/Completed`, undefined, {})).status >= 300;
    },
  },
};

const deliveryMistakes: Batch = {
  'delivery.endless-whatever-comes-later': {
    source: 'extensions: Registered external endpoint, retryForever',
    breaks: 'An error that is not transient ends the retries, also where transient ones came before it.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLate = policy.retries === Infinity && delivery.attempts > 0;
      const isRefusal = outcome.kind === 'answered' && outcome.status >= 400;
      return right(areas, delivery, policy, isLate && isRefusal ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const steps = [{ status: 503 }, { status: 400 }];
      const host = await service.host(() => [{ id: 'event', retryForever: true }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length > 2;
    },
  },
  'delivery.broken-on-a-retry': {
    source: 'extensions: Errors 1',
    breaks: 'A connection that fails is transient, also where the attempt before had an answer.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      delivery.attempts > 0 && outcome.kind === 'failed' ? { kind: 'failed' } : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      const steps = [{ status: 503 }, { cut: 'before-answer' }] as const;
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [...steps] }]);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length < 3;
    },
  },
  'delivery.mail-without-a-limit': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'Five calls a minute are the default for mail as for events.',
    kind: 'role',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isUnlimited =
        delivery.kind === 'email' && 'record' in callee && callee.record.rateLimitNumberOfExecutions === undefined;
      return isUnlimited ? { ...policy, rateLimit: Infinity } : policy;
    }),
    async shows(service) {
      const record = { id: 'mail', version: '1.0.0', name: 'mail', endpoint: '/mail', category: 'proof' };
      const host = await service.host(() => []);
      host.setRecords([{ ...record, extensionType: 'Email' }]);
      await changeExtension(service, { hostUri: host.url });
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      for (let count = 0; count < 7; count += 1) await service.edda.post('/api/space/main/externalEmail', mail);
      await service.pass(1, 4);
      return callsOf(host, 'email').length > 5;
    },
  },
  'delivery.one-line-for-equal-ends': {
    source: 'extensions: Events 3',
    breaks: 'The removal of every event that finally fails is logged, also where one before it ended alike.',
    kind: 'copy',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const known = new Set<string>();
      return async (areas, writing, entry) => {
        const line = `${entry.endpoint} ${entry.message}`;
        if (entry.kind === 'removed' && known.has(line)) return;
        known.add(line);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 400 }));
      await service.edda.sendEvent();
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'removed')).length < 2;
    },
  },
  'delivery.five-minutes-of-patience': {
    source: 'extensions: Registered external endpoint, requestTimeout',
    breaks: 'The service waits as long as registered, also for more than five minutes.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, delivery) => {
      const callee = await right(areas, reading, delivery);
      return callee && { ...callee, timeoutMs: Math.min(callee.timeoutMs, 300_000) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', requestTimeout: 400 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1);
      await reached(host, 1);
      await service.pass(78, 4);
      return (await logged(service, 'timeout')).length > 0;
    },
  },
};

type Permission = 'AdministrationAPI' | 'LicenseCommunicationAPI' | 'SnapshotAPI';

const accessMistakes: Batch = {
  'bulk.acquired-key-as-text': {
    source: 'extensions: Authentication 2',
    breaks: 'The key is decoded from Base64, be it the first one or one that was acquired later.',
    kind: 'place',
    variant: replaces('apiKeys', 'acquiredAdministrationKeys', async (right, areas, reading) => {
      const keys = await right(areas, reading);
      return keys.map((key) => Buffer.from(key).toString('base64'));
    }),
    async shows(service) {
      const host = await keyHost(service, ['AdministrationAPI']);
      const keys = await acquired(service, host, ['AdministrationAPI']);
      const key = String(at(keys, '/AdministrationAPI/apiKey'));
      const authorization = `Bearer ${signatureOver('/admin/fileupload', key)}`;
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      return (await service.nobody.post('/admin/fileupload', body, { authorization })).status >= 300;
    },
  },
  'api-keys.second-permission-keeps-its-key': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'After 24 hours every permission that is asked for gets another key, not the first one alone.',
    kind: 'place',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
      const [first = '', ...others] = permissions;
      const still = within(areas, { apiKeys: { isKeyDue: () => false } });
      return [...(await right(areas, writing, holder, [first])), ...(await right(still, writing, holder, others))];
    }),
    async shows(service) {
      const names = ['SnapshotAPI', 'LicenseCommunicationAPI'] as const;
      const host = await keyHost(service, names);
      const before = await acquired(service, host, names);
      await service.pass(keyPeriodSeconds + 1);
      const after = await acquired(service, host, names);
      const pointer = '/LicenseCommunicationAPI/apiKey';
      return at(before, pointer) === at(after, pointer);
    },
  },
  'api-keys.a-restart-begins-the-day-anew': {
    source: 'extensions: Permission names, text below',
    breaks: 'A key is rotated 24 hours after it was issued, whether the service was started anew meanwhile or not.',
    kind: 'combination',
    variant: breaks('apiKeys', 'issueKeys', (right) => {
      let since: number | undefined;
      return (areas, writing, holder, permissions) => {
        const now = areas.clock.now();
        const start = (since ??= now);
        const isKeyDue = ({ issuedAt }: { readonly issuedAt: number }) =>
          now >= Math.max(issuedAt, start) + keyPeriodSeconds * 1000;
        return right(within(areas, { apiKeys: { isKeyDue } }), writing, holder, permissions);
      };
    }),
    async shows(service) {
      const host = await keyHost(service, ['SnapshotAPI']);
      const before = await acquired(service, host, ['SnapshotAPI']);
      await service.restart();
      await service.pass(keyPeriodSeconds + 1);
      const after = await acquired(service, host, ['SnapshotAPI']);
      return at(before, '/SnapshotAPI/apiKey') === at(after, '/SnapshotAPI/apiKey');
    },
  },
  'api-keys.snapshots-come-first-or-not': {
    source: 'extensions: Permission names, SnapshotAPI',
    breaks: 'The key for snapshots is brought wherever in the list it is asked for.',
    kind: 'place',
    variant: replaces('apiKeys', 'grantedPermissions', (right, areas, ...args) =>
      right(areas, ...args).filter((name, index) => name !== 'SnapshotAPI' || index === 0),
    ),
    async shows(service) {
      const names = ['LicenseCommunicationAPI', 'SnapshotAPI'] as const;
      const keys = await acquired(service, await keyHost(service, names), names);
      return at(keys, '/SnapshotAPI') === undefined;
    },
  },
  'access.anybody-lists-a-user-area': {
    source: 'core: What the service does',
    breaks: 'Without a role in the space no route below it opens, the listing of the own files neither.',
    kind: 'place',
    variant: replaces(
      'fileAreas',
      'mayUseArea',
      (right, areas, user, area, call) =>
        (area.kind === 'user' && call.url.includes('/user/fs/dir')) || right(areas, user, area, call),
    ),
    shows: async ({ nora }) => (await nora.get('/api/space/main/user/fs/dir')).status === 200,
  },
};

/** A host whose only record, `keys`, may have keys for the permissions. */
function keyHost(service: Service, permissions: readonly Permission[]): Promise<ExtensionHost> {
  return service.host(
    (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions } }],
    [{ steps: [{ status: 200 }], afterwards: 'last' }],
  );
}

/** What the callback was brought. */
async function acquired({ cora }: Service, host: ExtensionHost, permissions: readonly Permission[]): Promise<unknown> {
  const body = { tokenCallback: `${host.url}/keys`, permissions };
  await cora.post('/api/collection/externalExtension/acquireAccessToken/keys', body);
  return host.entries(({ path }) => path === '/keys').at(-1)?.json;
}

const writingMistakes: Batch = {
  'multi-create.id-like-a-definition': {
    source: 'core: Multi-create item, $softType',
    breaks: 'The definition that is instantiated is the one in $softType, whatever the item is called.',
    kind: 'value',
    survives:
      'What text a $id may have is not said: an item that is refused for it is recorded, and one that is created is looked at.',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) => {
      const templates = [...areas.configuration.templates.values()];
      const named = (id = '') =>
        templates.map(({ softTypes }) => softTypes.get(id)).find((found) => found !== undefined);
      return right(
        areas,
        items.map((item) => ({ ...item, softType: named(item.$id) ?? item.softType })),
      );
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([{ $id: 'Part', $softType: 'Requirement', data: { text: 't' } }]);
      return made.status >= 300;
    },
  },
  'operations.replace-by-the-same': {
    source: 'core: Patch operation, op',
    breaks: 'A value may be replaced by one that is equal to it.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      if (target.kind === 'member' && target.value === value) throw new Refusal(422, 'Nothing would change.');
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/title', value: 't' }])).status >= 300;
    },
  },
  'maturity.no-version-for-administrators': {
    source: 'core: Common request headers, text below',
    breaks: 'The answer to a promote tells the new version to whoever promotes.',
    kind: 'role',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      if (!areas.auth.rolesOf(call.user, call.space).includes('administrator')) return answer;
      const { [headerNames.version]: _version, ...headers } = answer.headers ?? {};
      return { ...answer, headers };
    }),
    async shows({ edda, alma }) {
      const made = await edda.make('Document', { title: 't' });
      return (await alma.move(made, 1)).headers.get(headerNames.version) === null;
    },
  },
  'maturity.validated-promotes-count-twice': {
    source: 'core: States and transitions',
    breaks: 'A promote raises the version by one, also where an extension was asked about it.',
    kind: 'combination',
    variant: replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
      const twice = within(areas, { maturity: { versionAfterPromote: (object) => object.version + 2 } });
      return right((call.verdicts?.size ?? 0) > 0 ? twice : areas, call, writing);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      await service.host(() => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }]);
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.move(made, 1)).headers.get(headerNames.version) !== '2';
    },
  },
  'batch.what-is-forbidden-is-skipped': {
    source: 'core: Batch rules 3',
    breaks: 'An operation that the role of the user does not allow fails the batch.',
    kind: 'role',
    variant: together(
      replaces(
        'batch',
        'failsBatch',
        (right, areas, outcome) => outcome.answer.status !== 403 && right(areas, outcome),
      ),
      replaces('batch', 'batchStatus', (right, areas, results) =>
        right(
          areas,
          results.filter(({ statusCode }) => statusCode !== 403),
        ),
      ),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'n' });
      const headers = { [headerNames.version]: '1' };
      const edit = { method: 'PATCH', href: editPath(made), headers, body: { note: 'n' } };
      return (await rita.batch([{ method: 'GET', href: made.path }, edit])).status === 200;
    },
  },
  'batch.a-result-for-each-instance': {
    source: 'core: Batch rules 3',
    breaks: 'The answer has one result for each operation, also for one that creates several instances.',
    kind: 'combination',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) =>
      right(
        areas,
        results.flatMap((result) => {
          const { statusCode, body } = result;
          if (statusCode !== 201 || !Array.isArray(body)) return [result];
          return body.map((one: unknown) => ({ statusCode, body: one }));
        }),
      ),
    ),
    async shows({ edda }) {
      const body = ['a', 'b'].map(($id) => ({ $id, $softType: 'Part', data: { name: $id } }));
      const batch = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      return listAt(batch.json, '').length !== 1;
    },
  },
};

/** Drawn by lot under another seed: sixty sentences, each broken under a circumstance drawn as well, by somebody who had not seen a check. */
export const thirtyEighth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...tasksMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
