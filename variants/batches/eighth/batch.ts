import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, movePath, spaceFiles } from '../service.ts';
import { routes } from '../../../contract/routes.ts';
import { operationRouteOf } from '../../../reference-server/areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { batchIsKnown, inBatch } from './in-batch.ts';
import { calls } from './calls.ts';
import { reading } from './reading.ts';
import { writing } from './writing.ts';

const userFiles = '/api/space/main/user/fs/file';

const files: Batch = {
  'files.delete-in-one-area-reaches-another': {
    source: 'extensions: File areas',
    breaks: 'A file that is deleted in the area of a user stays in that of the space.',
    kind: 'combination',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const { area } = place;
      if (area.kind === 'user')
        await right(areas, { ...place, area: { kind: 'space', spaceId: area.spaceId } }).catch(() => false);
      return right(areas, place);
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      await edda.upload('a.txt', 'a', userFiles);
      await edda.delete(`${userFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status !== 200;
    },
  },
  'files.user-has-one-area-for-all-spaces': {
    source: 'extensions: File areas',
    breaks: 'The area of a user in one space is another one than that in another space.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      return area.kind === 'user' ? { ...area, spaceId: 'main' } : area;
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a', userFiles);
      return (await edda.get('/api/space/depot/user/fs/file/a.txt')).status === 200;
    },
  },
  'files.equal-content-may-come-again': {
    source: 'extensions: File routes',
    breaks: 'An upload fails where the file exists, also when it has this very content.',
    kind: 'combination',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const info = await areas.fileStore.describe(place);
      const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
      const isSame = record?.md5 !== undefined && record.md5 === call.headers['checksum'];
      return isSame ? areas.fileAreas.createdFile(place) : right(areas, call);
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      return (await edda.upload('a.txt', 'a')).status < 300;
    },
  },
  'files.directories-go-four-deep': {
    source: 'extensions: File routes',
    breaks: 'Directories are made as needed, however deep.',
    kind: 'value',
    variant: replaces('files', 'streamPlaceOf', (right, areas, call, area) => {
      const place = right(areas, call, area);
      const { segments } = place;
      return segments.length <= 5 ? place : { ...place, segments: [...segments.slice(0, 4), ...segments.slice(-1)] };
    }),
    async shows({ edda }) {
      await edda.upload('a/b/c/d/e/f.txt', 'a');
      return (await edda.get(`${spaceFiles}/a/b/c/d/e/f.txt`)).status !== 200;
    },
  },
  'files.bulk-replaces-in-the-root-only': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Existing files are replaced in subdirectories as well.',
    kind: 'place',
    variant: replaces('bulkUpload', 'uploadSourceFile', (right, areas, run, entry) => {
      const request = entry.path.length > 1 ? { ...run.request, replaceFiles: false } : run.request;
      return right(areas, { ...run, request }, entry);
    }),
    async shows({ edda, directory, bulk }) {
      await edda.upload('sub/a.txt', 'old');
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'sub'));
      await writeFile(join(sourceDirectory, 'sub', 'a.txt'), 'new');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/sub/a.txt`)).text !== 'new';
    },
  },
  'files.bulk-target-has-one-name': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The target directory is the whole relative path.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkTargetOf', (right, areas, request) => right(areas, request).slice(0, 1)),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      const body = { sourceDirectory, writeLog: false, targetDirectory: 'x/y' };
      await bulk('/admin/fileupload/main', body);
      return (await edda.get(`${spaceFiles}/x/y/a.txt`)).status !== 200;
    },
  },
};

const access: Batch = {
  'access.space-administrator-registers-trusted-endpoints': {
    source: 'extensions: Registration routes',
    breaks: 'Trusted endpoints are registered by Collection Administrators, not by administrators of a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = access === 'collection' && call.url.startsWith('/api/admin/trustedExternalEndpoint');
      const spaces = [...areas.configuration.spaces.values()];
      if (isMeant && spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'))) return;
      right(areas, user, access, call);
    }),
    async shows({ alma }) {
      const body = {
        id: 'trusted',
        url: 'http://127.0.0.1:9/x',
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        tokenLifeTime: 5,
      };
      return (await alma.post('/api/admin/trustedExternalEndpoint', body)).status < 300;
    },
  },
  'access.multi-create-asks-for-a-role-anywhere': {
    source: 'core: Authentication 7',
    breaks: 'A multi-create needs a role in its space, not in some other one.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = access === 'space' && /^\/space\/[^/]+\/softtype$/i.test(call.url);
      const spaces = [...areas.configuration.spaces.values()];
      if (isMeant && spaces.some((space) => areas.auth.mayUse(user, space, call.method))) return;
      right(areas, user, access, call);
    }),
    async shows({ otto }) {
      const items = [{ $id: 'p', $softType: 'Part', data: { name: 'p' } }];
      return (await otto.multiCreate(items)).status !== 403;
    },
  },
  'access.user-area-needs-no-role': {
    source: 'core: Authentication 7',
    breaks: 'The own file area in a space is for those who have a role in the space.',
    kind: 'role',
    variant: replaces(
      'fileAreas',
      'mayUseArea',
      (right, areas, user, area, call) => area.kind === 'user' || right(areas, user, area, call),
    ),
    async shows({ nora }) {
      const answer = await nora.upload('n.txt', 'n', '/api/space/main/user/fs/file');
      return answer.status < 300;
    },
  },
  'access.readers-move-in-a-batch': {
    source: 'core: What the service does, Space level',
    breaks: 'A role that may only read performs no maturity action, be it in a batch.',
    kind: 'role',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      if (prepared.route.path !== routes.promote) return right(areas, prepared, writing);
      return areas.dispatcher.carryOutWrite(prepared.route, prepared.call, writing);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } };
      return at((await rita.batch([operation])).json, '/0/statusCode') === 204;
    },
  },
  'access.demote-needs-no-filter': {
    source: 'core: Common request headers',
    breaks: 'The information filter is required on the demote route as well.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const isLeftOut = call.headers['svc-informationfilter'] === undefined;
      return isLeftOut && call.url.includes('/maturityAction/demote/') ? {} : right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const headers = { 'Svc-UOIVersion': '2', 'Svc-InformationFilter': '' };
      return (await edda.send('PUT', movePath(made, 'demote'), { headers })).status < 300;
    },
  },
  'access.put-by-a-reader-of-what-he-knows': {
    source: 'core: What the service does, Space level',
    breaks: 'A role that may only read replaces nothing, be the version right.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = call.method === 'PUT' && call.url.includes('/softtype/') && access === 'space';
      const rights = isMeant ? { ...call, method: 'GET' } : call;
      right(areas, user, access, rights);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'p' });
      return (await rita.put(editPath(made), 1, { name: 'q' })).status !== 403;
    },
  },
};

const promotePath = /^\/api\/space\/([^/]+)\/maturityAction\/promote\/([^/]+)\/([^/]+)\/([^/]+)$/;

interface Sent {
  readonly method?: string;
  readonly href?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function operationsIn(body: Buffer | undefined): readonly Sent[] {
  const value: unknown = JSON.parse(body?.toString() ?? '[]');
  return Array.isArray(value) ? (value as readonly Sent[]) : [];
}

function part($id: string, name: string): object {
  return { $id, $softType: 'Part', data: { name } };
}

function documentOf(...targets: readonly string[]): object {
  const describes = targets.map((instanceRef) => ({ id: 'x', value: { instanceRef, softTypeId: 'Part' } }));
  return { $id: 'the document', $softType: 'Document', data: { title: 't', describes } };
}

const manyAtOnce: Batch = {
  'many.status-looks-at-ten-results': {
    source: 'core: Batch rules 3',
    breaks: 'A batch fails as a whole also when its eleventh operation is the first to fail.',
    kind: 'place',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const failed = results.findIndex(({ statusCode }) => statusCode >= 400 && statusCode !== 424);
      return failed < 10 ? right(areas, results) : 200;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const gone = { method: 'GET', href: `${made.path}0` };
      const answer = await edda.batch([...many(10, () => ({ method: 'GET', href: made.path })), gone]);
      return answer.status !== 500;
    },
  },
  'many.promote-outlives-its-batch': {
    source: 'core: Batch rules 1',
    breaks: 'A promote in a batch that fails is undone as well.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      if (route.path !== routes.batch || answer.status !== 500) return answer;
      for (const { method, href = '', headers = {} } of operationsIn(call.body)) {
        const [, spaceId = '', objectId = '', processId = '', levelId = ''] = promotePath.exec(href) ?? [];
        if (method !== 'PUT' || spaceId === '') continue;
        const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
        await right(areas, operationRouteOf(areas, 'PUT', routes.promote), {
          ...call,
          method: 'PUT',
          url: href,
          params: { spaceId, objectId, processId, levelId },
          headers: { ...call.headers, ...own },
          body: undefined,
        });
      }
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } },
        { method: 'GET', href: `${made.path}0` },
      ]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'many.moves-in-batch-tell-no-version': {
    source: 'core: Batch result',
    breaks: 'The result of a promote in a batch has the new version.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      return call.url.includes('/maturityAction/') ? { href: at(body, '/href') } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } };
      return at((await edda.batch([operation])).json, '/0/body/version') !== 2;
    },
  },
  'many.query-of-an-operation-is-lost': {
    source: 'core: Batch operation',
    breaks: 'An operation asks for its full URI, the filter in the query included.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      return { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const files = [{ name: 'a', category: 'drawing' }, { name: 'b' }];
      const made = await edda.make('Document', { title: 't', files });
      const answer = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },
  'many.fifty-items-are-too-many-in-a-batch': {
    source: 'core: Multi-create rules 3',
    breaks: 'A multi-create of fifty instances is one operation of a batch as well.',
    kind: 'combination',
    variant: together(
      batchIsKnown,
      replaces('multiCreate', 'withinLimit', (right, areas, items) => {
        if (inBatch.isOn() && items.length === 50) throw new Refusal(422, 'Too many items.');
        return right(areas, items);
      }),
    ),
    async shows({ edda }) {
      const body = many(50, (n) => part(`p${n}`, `p${n}`));
      const answer = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      return answer.status !== 200;
    },
  },
  'many.ids-are-remembered-from-request-to-request': {
    source: 'core: Multi-create item',
    breaks: 'A temporary id means an item of its own request, whatever had it before.',
    kind: 'copy',
    variant: breaks('multiCreate', 'storedTarget', (right) => {
      const known = new Map<string, string>();
      return (areas, item) => {
        const oid = right(areas, item);
        const first = known.get(item.$id ?? oid) ?? oid;
        known.set(item.$id ?? oid, first);
        return first;
      };
    }),
    async shows({ edda }) {
      await edda.multiCreate([part('p', 'first'), documentOf('p')]);
      const answer = await edda.multiCreate([part('p', 'second'), documentOf('p')]);
      const [target, source] = listAt(answer.json, '').map((item) => String(at(item, '/href')));
      const read = (await edda.get(source ?? '')).json;
      return !target?.endsWith(String(at(read, '/data/describes/0/value/$oid')));
    },
  },
  'many.batches-end-at-256': {
    source: 'core: Limits',
    breaks: 'The number of operations in a batch has no hard limit.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      if (operations.length > 256) throw new Refusal(422, 'Too many operations.');
      return operations;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const answer = await edda.batch(many(257, () => ({ method: 'GET', href: made.path })));
      return answer.status !== 200;
    },
  },
  'many.second-reference-of-a-port-repeats-the-first': {
    source: 'core: Multi-create rules 2',
    breaks: 'Each reference of a port leads to the item that it names itself.',
    kind: 'combination',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const first = new WeakMap<object, string>();
      return (areas, items, $id, referrer) => {
        const meant = first.get(referrer) ?? $id;
        first.set(referrer, meant);
        return right(areas, items, meant, referrer);
      };
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p', 'p'), part('q', 'q'), documentOf('p', 'q')]);
      const hrefs = listAt(answer.json, '').map((item) => String(at(item, '/href')));
      const read = (await edda.get(hrefs[2] ?? '')).json;
      return !hrefs[1]?.endsWith(String(at(read, '/data/describes/1/value/$oid')));
    },
  },
  'many.conflict-of-a-move-is-a-server-error': {
    source: 'core: Batch rules 3',
    breaks: 'A promote in a batch that was made for another version has the status that it has alone, 409.',
    kind: 'place',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      const isConflict = call.url.includes('/maturityAction/') && result.statusCode === 409;
      return isConflict ? { ...result, statusCode: 500 } : result;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '9' } };
      return at((await edda.batch([operation])).json, '/0/statusCode') !== 409;
    },
  },
};

/** Thought of with the documents alone in view: what is right at first sight, and wrong one place, one value, one role or one request further. */
export const eighth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...calls,
};
