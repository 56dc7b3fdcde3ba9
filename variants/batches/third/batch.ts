import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  type Client,
  type Made,
  type Received,
  type Service,
  at,
  hostKey,
  listAt,
  many,
  pagePath,
  spaceFiles,
} from '../service.ts';
import { headerNames } from '../../../contract/names.ts';
import { createHmac, randomUUID } from 'node:crypto';
import { callsOf } from '../proofs.ts';

const readingMistakes: Batch = {
  'paging.no-links-for-readers': {
    source: 'core: Server side paging 2',
    breaks: 'A user who may only read gets the page links as well.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      return areas.auth.mayUse(call.user, call.space, 'PUT') ? links : links.filter(({ rel }) => rel === 'self');
    }),
    async shows({ edda, rita }) {
      const made = await makeWithFiles(edda, 11);
      return pageLink(await rita.read(made), 'files') === undefined;
    },
  },
};

function makeWithFiles(client: Client, count: number): Promise<Made> {
  return client.make('Document', { title: 'title', files: many(count, (number) => ({ name: `file ${number}` })) });
}

function pageLink(read: unknown, sectionPath: string): unknown {
  return listAt(read, '/links').find((link) => at(link, '/rel') === 'page' && at(link, '/sectionPath') === sectionPath);
}

const filesMistakes: Batch = {
  'files.name-stays-taken': {
    source: 'extensions: File routes',
    breaks: 'An upload fails where the file exists, and not where one was deleted.',
    kind: 'moment',
    variant: breaks('files', 'storeStream', (right) => {
      const taken = new Set<string>();
      return async (areas, place, call, content, checksum) => {
        const path = JSON.stringify(place);
        if (taken.has(path)) throw areas.fileAreas.placeTaken(place);
        await right(areas, place, call, content, checksum);
        taken.add(path);
      };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'first');
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.upload('a.txt', 'second');
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'second';
    },
  },

  'files.removed-by-anybody': {
    source: 'extensions: File routes',
    breaks: 'All file routes need authentication, DELETE among them.',
    kind: 'role',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      const isOpen = call.method === 'DELETE' && call.headers['authorization'] === undefined && kind === 'space';
      return isOpen ? areas.fileAreas.spaceArea(call) : right(areas, call, kind);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      await nobody.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status !== 200;
    },
  },
};

/** As wide as many a database column. */
const columnChars = 255;

const editingMistakes: Batch = {
  'editing.long-comments-cut': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'What is created is the content that was sent, also where a text in an entry is long.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      return right(areas, items).map((content) => {
        const { comment } = content;
        return typeof comment === 'string' ? { ...content, comment: comment.slice(0, columnChars) } : content;
      });
    }),
    async shows({ edda }) {
      const comment = 'x'.repeat(columnChars + 1);
      const made = await edda.make('Document', { title: 'title', files: [{ name: 'name', comment }] });
      return at(await edda.read(made), '/data/files/0/comment') !== comment;
    },
  },
};

const versioningMistakes: Batch = {
  'versioning.ahead-is-accepted': {
    source: 'core: Errors 1',
    breaks: 'A version that the object has not reached yet is a mismatch too.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => sent >= current),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      return (await edda.merge(made, 2, { note: 'note' })).status !== 409;
    },
  },

  'versioning.not-compared-in-a-batch': {
    source: 'core: Versioning 3',
    breaks: 'The version of an edit is compared, also when the edit is an operation of a batch.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isOperation = 'isSibling' in call;
      return isOperation && areas.versioning.versionHeaderOf(call) < object.version
        ? object.version
        : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      await edda.merge(made, 1, { note: 'first' });
      const href = `/api/space/main/softtype/Document/documentInput/${made.oid}`;
      const stale = { method: 'PATCH', href, headers: { [headerNames.version]: '1' }, body: { note: 'second' } };
      return (await edda.batch([stale])).status !== 500;
    },
  },
};

/** Base64 of the key by which the seed signs access tokens. */
const signingKey = 'c3ZjLWNvbmZvcm1hbmNlIGRlbW9uc3RyYXRpb24ga2V5LCBwdWJsaWMgb24gcHVycG9zZSwgNjQgYnl0ZXMgbG9uZyE=';

const accessMistakes: Batch = {
  'access.shorter-hash-accepted': {
    source: 'core: Authentication 2',
    breaks: 'A token is signed with HMAC SHA512; the same key with a shorter hash signs none.',
    kind: 'value',
    variant: replaces('tokens', 'acceptedAlgorithms', (right, areas) => [...right(areas), 'HS256']),
    async shows({ edda, nobody }) {
      const made = await edda.make('Part', { name: 'part' });
      const { status } = await nobody.get(made.path, {
        authorization: `Bearer ${tokenWithShorterHash('edda')}`,
      });
      return status === 200;
    },
  },

  'access.token-of-another-name': {
    source: 'core: Authentication 5',
    breaks: 'In Basic authentication a personal access token goes with the name of its owner.',
    kind: 'role',
    variant: replaces('auth', 'userOfCredentials', (right, areas, credentials) => {
      const isPair = credentials.scheme === 'basic';
      return right(areas, isPair ? { scheme: 'bearer', token: credentials.secret } : credentials);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      const pair = Buffer.from('emil:svcpat-edda-7d1c0b9e5a').toString('base64');
      const headers = { authorization: `Basic ${pair}` };
      return (await nobody.get('/api/space/main/fs/file/a.txt', headers)).status === 200;
    },
  },

  'access.pages-for-members-of-other-spaces': {
    source: 'core: Authentication 7',
    breaks: 'A page of an array asks for a role in the space of the object, as the read of the object does.',
    kind: 'place',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const isMember = spaces.some((space) => areas.auth.rolesOf(user, space).length > 0);
      if (isMember && call.params['arrayPortId'] !== undefined) return;
      right(areas, user, access, call);
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 'title', files: [{ name: 'secret' }] });
      return (await otto.get(pagePath(made, 'files', 0))).status !== 403;
    },
  },
};

function tokenWithShorterHash(sub: string): string {
  const now = Math.floor(Date.now() / 1000);
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { sub, iat: now - 60, exp: now + 3600 },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const key = Buffer.from(signingKey, 'base64');
  return [...parts, createHmac('sha256', key).update(parts.join('.')).digest('base64url')].join('.');
}

const extensionPath = '/api/admin/svcExtension';

const metadataMistakes: Batch = {
  'metadata.fetched-before-actions': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when it is called.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
      if (callee !== undefined && 'extension' in callee)
        await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return right(areas, delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      await runAction(service, {});
      return callsOf(host, 'metadata').length > 1;
    },
  },

  'metadata.former-records-stay': {
    source: 'extensions: Versioning',
    breaks: 'An update brings the metadata that the host tells now; a record that it tells no more is gone.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) => {
      const ids = new Set(fetched.map(({ id }) => id));
      return right(areas, former, [...fetched, ...former.filter(({ id }) => !ids.has(id))]);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      host.setRecords([]);
      const { cora } = service;
      const id = String(at((await cora.get(extensionPath)).json, '/data/0/id'));
      await cora.put(`${extensionPath}/${id}`, undefined, { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 });
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries((entry) => entry.kind !== 'metadata').length > 0;
    },
  },
};

const callsMistakes: Batch = {
  'calls.another-id-for-validations': {
    source: 'extensions: Call envelope',
    breaks: 'The id of the envelope is the correlation id of the promote that asks for a validation.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      return call.params['levelId'] === undefined ? right(areas, call) : randomUUID();
    }),
    async shows(service) {
      const host = await service.host(() => [validator(['Document'])]);
      const id = randomUUID();
      await promoteFresh(service, { [headerNames.correlationId]: id });
      const [call] = callsOf(host, 'validation');
      return call !== undefined && call.envelope?.id !== id;
    },
  },
};

function runAction({ edda }: Service, selection: object): Promise<Received> {
  return edda.post('/api/space/main/externalAction/action', { kind: 'ribbon', ...selection });
}

async function promoteFresh({ edda }: Service, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const made = await edda.make('Document', { title: 'title' });
  const path = `/api/space/main/maturityAction/promote/${made.oid}/release/engineering`;
  await edda.send('PUT', path, { headers: { [headerNames.version]: '1', ...headers } });
}

function validator(softTypes: string[]) {
  const capabilities = [{ capabilityType: 'SoftType', capabilities: softTypes }];
  return { id: 'validator', extensionType: 'ExternalValidation', capabilities };
}

/** Mistakes by somebody who had read the documents and none of the checks. */
export const third: Batch = {
  ...readingMistakes,
  ...editingMistakes,
  ...versioningMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...metadataMistakes,
  ...callsMistakes,
};
