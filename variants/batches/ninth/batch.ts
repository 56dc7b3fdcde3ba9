import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, at, listAt, many, movePath, signatureOver, spaceFiles } from '../service.ts';
import { eventHost, namesOn, withContacts } from './proofs.ts';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isContent } from '../../../reference-server/areas/content.ts';
import { setTimeout } from 'node:timers/promises';
import { callsTo, changeExtension, logged } from '../proofs.ts';

const reading: Batch = {
  'reading.pages-count-ids': {
    source: 'core: Server side paging 2 and 4',
    breaks: 'Pages are sets of 10 of the entries that there are, after some were removed as well.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (filter !== undefined || section.items !== undefined)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, { from: 0, to: 100_000 });
      return all.filter(({ entryId }) => entryId > range.from && entryId <= range.to);
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      const third = at(await edda.read(made), '/data/contacts/2/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${String(third)}/` }]);
      return listAt(await edda.read(made), '/data/contacts').length !== 10;
    },
  },
};

/** Status of a password grant by a client with this secret. */
async function grant(nobody: Client, secret: string): Promise<number> {
  const form = new URLSearchParams({
    grant_type: 'password',
    username: 'edda',
    password: 'edda-password',
    scope: 'All',
  });
  const headers = {
    authorization: `Basic ${Buffer.from(`conformance:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  return (await nobody.send('POST', '/auth/token', { headers, body: form.toString() })).status;
}

const access: Batch = {
  'access.known-client-needs-no-secret': {
    source: 'core: Authentication 3',
    breaks: 'Every request of the token endpoint brings the secret of its client, also when that was shown before.',
    kind: 'copy',
    variant: breaks('grants', 'checkClient', (right) => {
      const known = new Set<string>();
      return (areas, call) => {
        const credentials = areas.auth.credentialsOf(call.headers);
        const name = credentials?.scheme === 'basic' ? credentials.name : '';
        if (known.has(name)) return;
        right(areas, call);
        known.add(name);
      };
    }),
    async shows({ nobody }) {
      await grant(nobody, 'conformance-secret');
      return (await grant(nobody, 'wrong')) === 200;
    },
  },
};

const files: Batch = {
  'files.delete-takes-plus-for-a-blank': {
    source: 'extensions: File routes, row 4',
    breaks: 'The file that a DELETE names is the one that a GET of the same path reads.',
    kind: 'value',
    variant: replaces('files', 'filePlaceOf', (right, areas, call, area) =>
      right(
        areas,
        call.method === 'DELETE'
          ? { ...call, rest: call.rest?.map((name) => name.replaceAll('+', '%20')) ?? [] }
          : call,
        area,
      ),
    ),
    async shows({ edda }) {
      await edda.upload('a+b.txt', 'a');
      await edda.delete(`${spaceFiles}/a+b.txt`);
      return (await edda.get(`${spaceFiles}/a+b.txt`)).status === 200;
    },
  },
  'files.no-log-where-sources-are-deleted': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The log is written also where the uploaded files are deleted from the source.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'writesLog',
      (right, areas, request) => right(areas, request) && !request.deleteFilesAfterUpload,
    ),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      const body = { sourceDirectory, writeLog: true, deleteFilesAfterUpload: true };
      await bulk('/admin/fileupload/main', body);
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
    },
  },
  'files.structure-is-lost-below-a-target': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure of the source ends up below the target directory as it does at the root.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, target.length === 0 ? path : path.slice(-1)),
    ),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'deep'));
      await writeFile(join(sourceDirectory, 'deep', 'a.txt'), 'a');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, targetDirectory: 'target' });
      return (await edda.get(`${spaceFiles}/target/deep/a.txt`)).status !== 200;
    },
  },
};

const part = (name: string) => ({ $id: name, $softType: 'Part', data: { name } });

const href = '/space/main/softtype';

const reference = (instanceRef: string) => ({ id: instanceRef, value: { instanceRef, softTypeId: 'Part' } });

const manyAtOnce: Batch = {
  'many.promote-result-lacks-href': {
    source: 'core: Batch result',
    breaks: 'The result of a promote names its object as that of any other write.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      return call.url.includes('/maturityAction/') && isContent(body) ? { version: body['version'] } : body;
    }),
    survives: 'href takes the place of Location, which a 201 alone has: that a promote names its object is not said.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const promote = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } };
      return typeof at((await edda.batch([promote])).json, '/0/body/href') !== 'string';
    },
  },
  'many.multi-create-in-batch-refers-backwards-only': {
    source: 'core: Batch rules 4',
    breaks: 'In a batch, too, an item of a multi-create may refer to one that stands behind it.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) =>
      right(
        call.isSibling === undefined
          ? areas
          : within(areas, {
              multiCreate: {
                findItem: (items, $id, referrer) =>
                  areas.multiCreate.findItem(items.slice(0, items.indexOf(referrer) + 1), $id, referrer),
              },
            }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('p')] } };
      const answer = await edda.batch([{ method: 'POST', href, body: [document, part('p')] }]);
      return answer.status !== 200;
    },
  },
  'many.multi-create-stores-ten-entries': {
    source: 'core: Multi-create item',
    breaks: 'The content of an item is stored whole, arrays beyond ten entries included.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const cut = inputs.map(({ content, arrays }) => ({
        content,
        arrays: new Map([...arrays].map(([port, entries]) => [port, entries.slice(0, 10)] as const)),
      }));
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const data = { title: 't', contacts: many(11, (number) => ({ name: `c${number}` })) };
      const { json } = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data }]);
      const oid = String(at(json, '/0/href')).split('/').at(-1) ?? '';
      const page = await edda.page({ definition: 'Document', oid, path: '' }, 'contacts', 1);
      return namesOn(page.json) !== 'c11';
    },
  },
};

const versionHeader = 'svc-uoiversion';

/** Version of the object when the request came, where the wrong server has noted it. */
const seenHeader = 'x-version-at-arrival';

const writing: Batch = {
  'writing.promotes-compare-before-their-turn': {
    source: 'core: Versioning 3',
    breaks: 'Of two promotes for one version that come at once, one is a conflict.',
    kind: 'moment',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const { spaceId = '', objectId = '' } = call.params;
        if (!call.url.includes('/maturityAction/promote/')) return right(areas, route, call);
        const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
        await setTimeout(20);
        return right(areas, route, { ...call, headers: { ...call.headers, [seenHeader]: String(object?.version) } });
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) =>
        call.headers[seenHeader] !== undefined && call.headers[seenHeader] === call.headers[versionHeader]
          ? object.version
          : right(areas, call, object),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answers = await Promise.all([edda.move(made, 1), edda.move(made, 1)]);
      return answers.every(({ status }) => status === 204);
    },
  },
  'writing.cascade-stops-at-the-first-page': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry beyond the first ten is removed as well when it loses a mandatory member.',
    kind: 'place',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const first = await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 10 });
      if (first.some(({ entryId }) => entryId === entry.entryId)) return right(areas, run, entry);
      await run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, {});
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (number) => ({ name: `f${number}` })) });
      const last = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(last)}/name` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },
  'writing.id-of-a-gone-entry-is-a-position': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A number in a path is the id of an entry or of none, also where an entry once had it.',
    kind: 'combination',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      if (entry !== undefined || !/^[1-9]\d*$/.test(token)) return entry;
      const from = Number(token) - 1;
      const [found] = await run.writing.entries(run.object.oid, port, { from, to: from + 1 });
      return found;
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 3);
      const path = `/contacts/${String(at(await edda.read(made), '/data/contacts/0/$entryId'))}/`;
      await edda.operate(made, 1, [{ op: 'remove', path }]);
      await edda.operate(made, 2, [{ op: 'remove', path }]);
      return namesOn((await edda.page(made, 'contacts', 0)).json) !== 'c2,c3';
    },
  },
};

const calls: Batch = {
  'calls.former-key-signs-after-an-update': {
    source: 'extensions: Registered extension',
    breaks: 'After an update of the registration calls are signed with the key that it has now.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const kept = new Map<string, string>();
      return (areas, apiKey, url) => {
        const { origin } = new URL(url);
        const key = kept.get(origin) ?? apiKey;
        kept.set(origin, key);
        return right(areas, key, url);
      };
    }),
    async shows(service) {
      const { host, fire } = await eventHost(service);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      await fire();
      await service.pass(1);
      const sent = callsTo(host)[0]?.headers.find(([name]) => name.toLowerCase() === 'authorization');
      return sent?.[1] !== `Bearer ${signatureOver('/e', apiKey)}`;
    },
  },
  'calls.record-keeps-its-former-endpoint': {
    source: 'extensions: Metadata exchange',
    breaks: 'After an update of the extension a record is called at the endpoint that it names now.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (_right, _areas, former, fetched) =>
      fetched.map((record) => {
        const known = former.find(({ id }) => id === record.id);
        return known === undefined ? record : { ...record, endpoint: known.endpoint };
      }),
    ),
    async shows(service) {
      const { host, fire } = await eventHost(service);
      const record = { id: 'e', version: '1.0.1', name: 'e', endpoint: '/new', category: 'c' };
      host.setRecords([{ ...record, extensionType: 'ExternalEvent', rateLimitNumberOfExecutions: 1000 }]);
      await changeExtension(service, { hostUri: host.url });
      await fire();
      await service.pass(1);
      return callsTo(host)[0]?.path !== '/new';
    },
  },
  'calls.after-408-the-wait-does-not-grow': {
    source: 'extensions: Limits, retries',
    breaks: 'Waits double after a 408 as after any other transient error.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      return step.kind === 'retry' && outcome.kind === 'answered' && outcome.status === 408
        ? { ...step, delayMs: 2000 }
        : step;
    }),
    async shows(service) {
      const { host, fire } = await eventHost(service, {}, [{ steps: [{ status: 408 }], afterwards: 'last' }]);
      await fire();
      await service.pass(1, 5);
      return callsTo(host).length > 2;
    },
  },
  'calls.another-error-begins-the-count-anew': {
    source: 'extensions: Limits, retries',
    breaks: 'There are five retries in all, also where one error follows on another.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const last = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const status = outcome.kind === 'answered' ? outcome.status : 0;
        const isOther = (last.get(delivery.id) ?? status) !== status;
        last.set(delivery.id, status);
        return right(areas, isOther ? { ...delivery, attempts: 0 } : delivery, policy, outcome);
      };
    }),
    async shows(service) {
      const steps = [{ status: 503 }, { status: 500 }];
      const { host, fire } = await eventHost(service, {}, [{ steps, afterwards: 'again' }]);
      await fire();
      await service.pass(1, 70);
      return callsTo(host).length > 6;
    },
  },
  'calls.endless-retries-are-logged-as-five': {
    source: 'extensions: Errors 3',
    breaks: 'The log entry of a transient error says that retries are endless where they are.',
    kind: 'combination',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy && { ...policy, retries: Math.min(policy.retries, 5) }, outcome, step),
    ),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const script = [{ steps: [{ status: 503 }], afterwards: 'last' as const }];
      const { fire } = await eventHost(service, { retryForever: true }, script);
      await fire();
      await service.pass(1);
      return at((await logged(service, 'transient-error'))[0], '/total') !== 'infinity';
    },
  },
  'calls.timeout-is-logged-with-the-default': {
    source: 'extensions: Errors 3',
    breaks:
      'The log entry of a request timeout holds the time that was waited, also where another timeout is configured.',
    kind: 'combination',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, ...args) =>
      right(areas, ...args).map((entry) => (entry.kind === 'timeout' ? { ...entry, waitMs: 100_000 } : entry)),
    ),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const { fire } = await eventHost(service, { requestTimeout: 7 }, [
        { steps: [{ never: true }], afterwards: 'last' },
      ]);
      await fire();
      await service.pass(1, 8);
      return at((await logged(service, 'timeout'))[0], '/wait') !== 7;
    },
  },
};

/** Thought of with the documents alone in view: what one case tells right and the next one, a value, a place or a request further, wrong. */
export const ninth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...calls,
};
