import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, logged, named } from '../proofs.ts';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, hostKey, listAt, many, signatureOver, spaceFiles } from '../service.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { Space, User } from '../../../reference-server/configuration.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import { randomBytes } from 'node:crypto';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';

/** What calls hold, and what is made of their answers. */
const payloadMistakes: Batch = {
  'calls.base-address-with-the-root-of-the-api': {
    source: 'extensions: Call envelope, row baseAddress',
    breaks: 'The base address is the configured one in every envelope, in that of a validation too.',
    kind: 'place',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const envelope: unknown = JSON.parse(request.body ?? 'null');
      if (delivery.kind !== 'validation' || !isContent(envelope)) return request;
      return {
        ...request,
        body: JSON.stringify({ ...envelope, baseAddress: `${String(envelope['baseAddress'])}/api` }),
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator('Document')]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      const [call] = callsOf(host, 'validation');
      return call?.envelope?.baseAddress !== service.url;
    },
  },
};

function validator(softTypeId: string): object {
  return {
    id: `validates ${softTypeId}`,
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: [softTypeId] }],
  };
}

/** Files: sent, read, deleted. */
const filesMistakes: Batch = {
  'chunks.line-end-of-the-file-is-that-of-the-form': {
    source: 'extensions: File routes, text above the chunk table',
    breaks: 'The part named file holds the bytes of the chunk, a line end at its end too.',
    kind: 'combination',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const bytes = Buffer.concat([...right(areas, chunk)]);
      const isCut = chunk.number === chunk.totalChunks && bytes.subarray(-2).equals(Buffer.from('\r\n'));
      return [isCut ? bytes.subarray(0, -2) : bytes];
    }),
    async shows({ edda }) {
      await edda.sendChunks('lines/f.txt', ['one\r\n', 'two\r\n']);
      return (await edda.get(`${spaceFiles}/lines/f.txt`)).text !== 'one\r\ntwo\r\n';
    },
  },
};

/** Many files by one request. */
const bulkMistakes: Batch = {
  'bulk.files-without-bytes': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'Every file of the source directory is taken, an empty one too.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const found = await stat(join(run.source, ...entry.path)).catch(() => undefined);
      if (found?.size !== 0) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped', error: 'it is empty' };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'empty.txt'), '');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },
};

/** Edits. */
const editingMistakes: Batch = {
  'versioning.administrators-need-no-version': {
    source: 'core: Errors 1',
    breaks: 'A version that is not that of the server gives 409, whatever role sends it.',
    kind: 'role',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      if (call.headers['svc-uoiversion'] === undefined || !isAdministrator(areas, call))
        return right(areas, call, object);
      return object.version;
    }),
    async shows({ alma, edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await alma.merge(made, 7, { note: 'n' })).status !== 409;
    },
  },

  'maturity.last-step-has-content': {
    source: 'core: Endpoint table, PUT promote',
    breaks: 'A promote answers 204, also the one into the last state.',
    kind: 'value',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { states, current } = call.place;
      return current === states.at(-2) ? { ...answer, status: 200, body: { state: states.at(-1) } } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.move(made, 2)).status !== 204;
    },
  },
};

/** Lists of operations. */
const operationsMistakes: Batch = {
  'operations.id-that-begins-alike': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses the entry with that id, not one whose id the given one begins with.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      for (let length = 1; length < token.length; length += 1) {
        const entry = await right(areas, run, port, token.slice(0, length));
        if (entry !== undefined) return entry;
      }
      return right(areas, run, port, token);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      const page = await edda.page(made, 'files', 1);
      const id = String(at(page.json, '/data/1/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/name`, value: 'new' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/1/name') !== 'new';
    },
  },
};

function isAdministrator({ auth }: Areas, call: Call & { readonly user?: unknown; readonly space?: unknown }): boolean {
  return auth.rolesOf(call.user as User, call.space as Space).includes('administrator');
}

/** When calls go out, and when again. */
const deliveryMistakes: Batch = {
  'delivery.neighbour-retries-for-ever': {
    source: 'extensions: Registered external endpoint, row retryForever',
    breaks: 'Who does not ask for endless retries has five, also beside another record of its host that asks for them.',
    kind: 'copy',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isBeside = 'extension' in callee && callee.extension.records.some(({ retryForever }) => retryForever);
      return isBeside ? { ...policy, retries: Infinity } : policy;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event' }, { id: 'endless', retryForever: true }],
        always({ status: 503 }),
      );
      await service.edda.sendEvent();
      await service.pass(70, 8);
      return callsOf(host, 'event').length > 6;
    },
  },

  'delivery.refused-ones-leave-without-a-word': {
    source: 'extensions: Events 3',
    breaks: 'The removal of an event from the queue is logged, also when the extension let nobody in.',
    kind: 'value',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      const isShut = outcome.kind === 'answered' && (outcome.status === 401 || outcome.status === 403);
      return isShut ? entries.filter(({ kind }) => kind !== 'removed') : entries;
    }),
    survives: 'silence log-access: no way to read the log is shown, and an entry says that the event has failed',
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 403 }));
      await service.edda.sendEvent();
      await service.pass(1);
      return (await logged(service, 'removed')).length === 0;
    },
  },

  'signing.key-of-the-first-attempt': {
    source: 'extensions: Registered extension, row apiKey',
    breaks: 'A call is signed with the key of the extension, also when it got that key since the first attempt.',
    kind: 'moment',
    variant: breaks('requests', 'requestFor', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee, attempt) => {
        if (!('extension' in callee)) return right(areas, delivery, callee, attempt);
        const apiKey = keys.get(delivery.id) ?? callee.extension.apiKey;
        keys.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } }, attempt);
      };
    }),
    survives: 'silence inactive-queue: what an update means for calls that wait already is not said',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url, apiKey: randomBytes(64).toString('base64') });
      await service.pass(3);
      const [, second] = callsOf(host, 'event');
      return (
        second !== undefined &&
        headerValues(second, 'Authorization')[0] === `Bearer ${signatureOver('/event', hostKey)}`
      );
    },
  },

  'metadata.route-of-a-mail-from-the-root': {
    source: 'extensions: Registered extension, row hostUri',
    breaks: 'The route of a record is below hostUri, also where hostUri has a path and the record is that of mails.',
    kind: 'combination',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee) || callee.record.extensionType !== 'Email') return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const named = { id: 'mail', name: 'mail', version: '1.0.0', category: 'proof' };
      const record = { ...named, endpoint: '/mail', extensionType: 'Email' };
      const host = await service.host(
        () => [],
        ({ path }) => (path.endsWith('/svc/extension') ? { status: 200, json: [record] } : { status: 200 }),
      );
      const body = { hostUri: `${host.url}/below/here`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'text' });
      await service.pass(1);
      return callsTo(host).some(({ path }) => path === '/mail');
    },
  },
};

/** API keys. */
const keyMistakes: Batch = {
  'api-keys.administrators-get-what-they-ask-for': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only permissions of the metadata can be requested, by a Collection Administrator neither.',
    kind: 'role',
    variant: (classes) => {
      let isAdministrator = false;
      const marked = replaces('auth', 'authorize', (right, areas, user, access, call) => {
        right(areas, user, access, call);
        isAdministrator = call.url.includes('/acquireAccessToken/');
      })(classes);
      return replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) => {
        const excess = isAdministrator ? [] : right(areas, asked, configured);
        isAdministrator = false;
        return excess;
      })(marked);
    },
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200 }),
      );
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['LicenseCommunicationAPI'] };
      return (await service.cora.post(acquirePath('holder'), body)).status < 300;
    },
  },
};

function acquirePath(id: string): string {
  return `/api/collection/externalExtension/acquireAccessToken/${id}`;
}

/** Reads and pages. */
const readingMistakes: Batch = {
  'paging.version-of-what-is-referred-to': {
    source: 'core: Page response, row version',
    breaks: 'A page tells the version of the object that has the array, also where its entries lead to other objects.',
    kind: 'place',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const oid = section.member.kind === 'references' ? at(body.data[0], '/value/$oid') : undefined;
        const target = typeof oid === 'string' ? await reading.object(object.spaceId, oid) : undefined;
        return target === undefined ? body : { ...body, version: target.version };
      },
    ),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      await edda.merge(part, 1, { note: 'n' });
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: part.oid } }] });
      return at((await edda.page(made, 'describes', 0)).json, '/version') !== 1;
    },
  },

  'paging.link-shared-by-arrays-of-one-length': {
    source: 'core: Server side paging 3',
    breaks: 'The link of each array leads to the pages of that array, also where another one is just as long.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const hrefs = new Map<string, string>();
      return (areas, object, view, section, total, filter) => {
        const link = right(areas, object, view, section, total, filter);
        const key = `${object.oid} ${object.version} ${view.id} ${total}`;
        const href = hrefs.get(key) ?? link.href;
        hrefs.set(key, href);
        return { ...link, href };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11), contacts: named(11) });
      const links = listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page');
      return new Set(links.map((link) => at(link, '/href'))).size === 1;
    },
  },

  'paging.page-that-is-called-otherwise': {
    source: 'core: Page response, row href',
    breaks: 'The URI in a page is that of the page, also where a configured filter with its own value made it.',
    kind: 'combination',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        return filter?.filter.equals === undefined ? body : { ...body, href: body.href.replace(/\?.*/, '') };
      },
    ),
    survives:
      'silence filter-in-page-link: whether the filter belongs to the URI of what it was read through is said of no read',
    async shows({ edda }) {
      const files = [{ name: 'a' }, { name: 'b', category: 'drawing' }];
      const made = await edda.make('Document', { title: 't', files });
      const page = await edda.page(made, 'files', 0, '?softTypeFilter=drawings');
      const again = await edda.get(String(at(page.json, '/href')));
      return JSON.stringify(listAt(again.json, '/data')) !== JSON.stringify(listAt(page.json, '/data'));
    },
  },

  'paging.one-page-too-many-of-references': {
    source: 'core: Link object, row pages',
    breaks: 'The number of pages of an array of references is right, also where the last page is full.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return section.member.kind === 'references' ? { ...link, pages: Math.floor(total / 10) + 1 } : link;
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', {
        title: 't',
        describes: many(20, () => ({ value: { $oid: part.oid } })),
      });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/pages') !== 2;
    },
  },
};

/** Who may do what, and who has what already. */
const accessMistakes: Batch = {
  'caching.readers-get-it-all-again': {
    source: 'core: Versioning 4',
    breaks: 'Unchanged data give 304 to everybody who sends their tag, also to who may do nothing but read.',
    kind: 'role',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const isReader = 'user' in call && 'space' in call && !mayWrite(areas, call);
      return right(
        areas,
        isReader ? { ...call, headers: { ...call.headers, 'if-none-match': undefined } } : call,
        answer,
      );
    }),
    async shows({ rita }) {
      const path = '/space/main/SoftType/dynamic/softtype.openApi';
      const { headers } = await rita.get(path);
      return (await rita.get(path, { 'If-None-Match': headers.get('etag') ?? '' })).status !== 304;
    },
  },

  'grants.password-with-blanks-around': {
    source: 'core: Authentication 3',
    breaks: 'The password grant takes the password of the user, not one with blanks behind it.',
    kind: 'value',
    variant: replaces('auth', 'userOfPassword', (right, areas, name, password) => right(areas, name, password.trim())),
    survives:
      'what passes for the password is not said; NIST SP 800-63B 5.1.1.2 lets a service pass over blanks around it',
    async shows({ nobody }) {
      const answer = await nobody.post(
        '/auth/token',
        'grant_type=password&username=edda&password=edda-password%20&scope=All',
        {
          authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      );
      return answer.status === 200;
    },
  },
};

function mayWrite({ auth }: Areas, call: Call & { readonly user?: unknown; readonly space?: unknown }): boolean {
  return auth.mayUse(call.user as User, call.space as Space, 'PUT');
}

/** Of sixty mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const twentySeventh: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...deliveryMistakes,
  ...keyMistakes,
  ...payloadMistakes,
};
