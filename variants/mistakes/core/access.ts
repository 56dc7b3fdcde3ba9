import { routes } from '../../../contract/routes.ts';
import { jobWith } from '../../../reference-server/areas/jobs.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Route } from '../../../reference-server/http/route.ts';
import { breaks, replaces, together, type Variant, within } from '../../breaks.ts';
import { task, tasksLeftAlone } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, part, readOf, scheduleInput, scheduleTask } from '../proofs.ts';
import { at, pagePath, spaceFiles } from '../service.ts';
import { changes, during, isRefusal, keeps } from '../variant-parts.ts';

export const accessMistakes: Mistakes = {
  'caching.held-tag-opens-the-door': {
    source: 'core: Authentication 6 and 7',
    breaks: 'Who has no access to a resource gets 403, also where the tag of it is sent along.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const sent = new Map<string, string>();
      return async (areas, route, call) => {
        try {
          const answer = await right(areas, route, call);
          const etag = answer.headers?.['ETag'];
          if (etag !== undefined) sent.set(call.url, etag);
          return answer;
        } catch (error) {
          const held = call.headers['if-none-match'];
          const isHeld = held !== undefined && held === sent.get(call.url);
          if (error instanceof Refusal && error.status === 403 && isHeld) return { status: 304 };
          throw error;
        }
      };
    }),
    shows: async ({ cora, edda }) => {
      const path = '/api/collection/template';
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await edda.get(path, { 'If-None-Match': etag })).status === 304;
    },
  },
  'auth.space-of-the-query': {
    source: 'core: Authentication 6',
    breaks: 'Who has no role in the space of the path is refused, whatever space the query names.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaceId = call.query.get('spaceId');
      right(areas, user, access, spaceId === null ? call : { ...call, params: { ...call.params, spaceId } });
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document');
      return (await otto.get(`${made.path}?spaceId=depot`)).status === 200;
    },
  },
  'access.held-copy-without-token': {
    source: 'core: Authentication 6, first part',
    breaks: 'A request without token is unauthorized, also where it asks only whether a copy still is right.',
    variant: (classes) => heldCopiesFirst(({ path }) => path.includes('/fs/file/'), 401)(classes),
    async shows({ edda, nobody }) {
      await edda.upload('held.txt', 'content');
      const { headers } = await edda.get(`${spaceFiles}/held.txt`);
      const again = await nobody.get(`${spaceFiles}/held.txt`, { 'If-None-Match': headers.get('etag') ?? '' });
      return again.status !== 401;
    },
  },
  'access.unknown-before-unauthorized': {
    source: 'core: Authentication 6, first part',
    breaks: 'Without a token the answer is 401, also for a page of what is not there.',
    survives: 'Which refusal is told of several is not said (error-precedence).',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const { spaceId = '', objectId = '' } = call.params;
      if (route.path === routes.page && call.headers['authorization'] === undefined) {
        const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
        if (object === undefined) throw new Refusal(404, 'There is no such object.');
      }
      return right(areas, route, call);
    }),
    async shows({ nobody }) {
      const path = pagePath({ definition: 'Document', oid: 'none', path: '' }, 'files', 0);
      return (await nobody.get(path)).status === 404;
    },
  },
  'caching.ahead-of-the-rights': {
    source: 'core: Authentication 6, first part',
    breaks: 'Without a token the answer is 401, also for who holds the data already.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const tags = new Map<string, string>();
      return async (areas, route, call) => {
        try {
          const answer = await right(areas, route, call);
          const tag = answer.headers?.['ETag'];
          if (call.method === 'GET' && tag !== undefined) tags.set(call.url, tag);
          return answer;
        } catch (error) {
          const tag = tags.get(call.url);
          const isBarred = error instanceof Refusal && (error.status === 401 || error.status === 403);
          if (!isBarred || tag === undefined || call.headers['if-none-match'] !== tag) throw error;
          return { status: 304, headers: { ETag: tag } };
        }
      };
    }),
    async shows({ cora, nobody }) {
      const path = '/api/collection/space';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await nobody.get(path, { 'If-None-Match': tag })).status === 304;
    },
  },
  'access.empty-batch-asks-for-nobody': {
    source: 'core: Authentication 6',
    breaks: 'Without a token the answer is 401, to a batch without operations too.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const isNothing = route.path === routes.batch && call.body?.toString() === '[]';
      return isNothing && call.headers['authorization'] === undefined
        ? { status: 200, body: [] }
        : right(areas, route, call);
    }),
    shows: async ({ nobody }) => (await nobody.batch([])).status === 200,
  },
  'auth.unguarded-prefix': {
    source: 'core: Authentication 6',
    breaks: 'Without a token nothing is created, also not by the one route whose path has no api before it.',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const [somebody] = areas.configuration.users.values();
      const isOpen = call.method === 'POST' && call.url.startsWith('/space/') && !('authorization' in call.headers);
      return isOpen && somebody !== undefined ? somebody : right(areas, call);
    }),
    async shows({ nobody }) {
      const items = [part('one', 'nobody')];
      return (await nobody.multiCreate(items)).status !== 401;
    },
  },
  'download.any-token-in-the-query': {
    source: 'core: Authentication 6; extensions: Authentication 1',
    breaks: 'A valid identity without access gets no file, by a token in the query neither.',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      const isLink = call.headers['authorization'] === undefined && call.query.has('token');
      return isLink || right(areas, user, area, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('closed.txt', 'content');
      return (await nobody.get(`${spaceFiles}/closed.txt?token=svcpat-otto-4c6d8e0f1a`)).status === 200;
    },
  },
  'batch.role-of-its-own-space': {
    source: 'core: Authentication 6 and 7',
    breaks: 'An operation needs a role in the space that it leads to, not in that of the batch.',
    variant: batchesAcrossSpaces(),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 'of main' });
      const results = await otto.batch([readOf(made)], 'depot');
      return at(results.json, '/0/body/data/title') === 'of main';
    },
  },
  'tasks.reported-through-another-space': {
    source: 'core: Authentication 6 and 7; extensions: Callbacks from an external task',
    breaks: 'A job belongs to its space: a role in another one lets nobody report on it.',
    variant: replaces(
      'jobs',
      'locateJob',
      async (right, areas, call, reading) =>
        (await jobWith(reading, call.params['jobId'] ?? '')) ?? right(areas, call, reading),
    ),
    async shows(service) {
      await service.host([task], tasksLeftAlone);
      const job = await scheduleInput(service, 'input.txt');
      await service.pass(1);
      await service.otto.put(`${job.replace('/main/', '/depot/')}/status/Completed`, undefined);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
  'files.delete-by-nobody': {
    source: 'core: Authentication 6',
    breaks: 'A missing token gives 401, on whichever route and method.',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      if (call.method === 'DELETE' && call.headers['authorization'] === undefined)
        throw new Refusal(403, 'Nobody may delete files.');
      return right(areas, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('there.txt', 'there');
      return (await nobody.delete(`${spaceFiles}/there.txt`)).status !== 401;
    },
  },
  'auth.nobody-at-the-administration': {
    source: 'core: Authentication 6',
    breaks: 'A missing token gives 401, at the routes of the administration too.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isAnonymous = error instanceof Refusal && error.status === 401 && !call.headers['authorization'];
        throw isAnonymous && call.url.startsWith('/api/admin/') ? new Refusal(403, 'Access is denied.') : error;
      }
    }),
    async shows({ nobody }) {
      return (await nobody.post('/api/admin/svcExtension', {})).status !== 401;
    },
  },
  'files.without-any-role-one-is-nobody': {
    source: 'core: Authentication 6',
    breaks: 'A valid identity without any role is refused as one without access, not as one without a token.',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      try {
        return await right(areas, call, kind);
      } catch (error) {
        if (!isRefusal(error, 403)) throw error;
        const user = await areas.fileAreas.authenticateFile(call);
        const roles = [...areas.configuration.spaces.values()].flatMap((space) => areas.auth.rolesOf(user, space));
        throw roles.length > 0 ? error : new Refusal(401, 'Nobody of this name holds a role.');
      }
    }),
    async shows({ nora }) {
      return (await nora.get(`${spaceFiles}/a.txt`)).status === 401;
    },
  },
  'access.multi-create-asks-for-a-role-anywhere': {
    source: 'core: Authentication 7',
    breaks: 'A multi-create needs a role in its space, not in some other one.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = access === 'space' && /^\/space\/[^/]+\/softtype$/i.test(call.url);
      const spaces = [...areas.configuration.spaces.values()];
      if (isMeant && spaces.some((space) => areas.auth.mayUse(user, space, call.method))) return;
      right(areas, user, access, call);
    }),
    async shows({ otto }) {
      const items = [part('p')];
      return (await otto.multiCreate(items)).status !== 403;
    },
  },
  'access.user-area-needs-no-role': {
    source: 'core: Authentication 7',
    breaks: 'The own file area in a space is for those who have a role in the space.',
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
  'batch.rights-of-the-first-operation': {
    source: 'core: Authentication 7',
    breaks: 'The role decides on each operation, also on those behind one that it allows.',
    variant: replaces('batch', 'runOperation', (right, areas, batch, writing, table, operation, index) =>
      right(
        index === 0 ? areas : within(areas, { auth: { authorize: () => undefined } }),
        batch,
        writing,
        table,
        operation,
        index,
      ),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      await rita.batch([readOf(made), mergeOf(made, 1, { title: 'by a reader' })]);
      return at(await edda.read(made), '/data/title') === 'by a reader';
    },
  },
  'auth.reader-creates-many': {
    source: 'core: Authentication 7',
    breaks: 'A role without POST creates nothing, also not by the one route that has no api before it.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isOutside = access === 'space' && call.url.startsWith('/space/');
      return right(areas, user, isOutside ? 'participant' : access, call);
    }),
    async shows({ rita }) {
      const items = [part('p', 'by a reader')];
      return (await rita.multiCreate(items)).status < 400;
    },
  },
  'access.roles-of-every-space': {
    source: 'core: Authentication 7, first part',
    breaks: 'A space is open by a role on a participant of that space, and not by one of another space.',
    variant: replaces('auth', 'rolesOf', (right, areas, user) =>
      [...areas.configuration.spaces.values()].flatMap((space) => right(areas, user, space)),
    ),
    async shows({ edda, otto }) {
      const made = await edda.make('Document');
      return (await otto.get(made.path)).status === 200;
    },
  },
  'access.one-participant-and-no-more': {
    source: 'core: Authentication 7, first part',
    breaks: 'A role on a participant is needed, and who holds roles on two has one.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      right(areas, user, access, call);
      if (access === 'participant' && areas.auth.rolesOf(user, areas.auth.spaceOf(call)).length !== 1)
        throw new Refusal(403, `${user.name} has no role on a participant of the space.`);
    }),
    async shows({ edda, emil }) {
      const made = await edda.make('Document');
      return (await emil.batch([readOf(made)])).status === 403;
    },
  },
  'access.registrations-for-administrators-of-spaces': {
    source: 'core: Authentication 7, second part',
    breaks: 'Collection routes are for the Collection Administrator, and not for who administrates a space.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const administrates = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (access === 'collection' && call.method === 'GET' && administrates) return;
      right(areas, user, access, call);
    }),
    async shows({ alma }) {
      return (await alma.get('/api/collection/space')).status === 200;
    },
  },
  'access.roles-kept-by-user-alone': {
    source: 'core: Authentication 7, first part',
    breaks: 'A role counts in its own space, also for a user who has just been in it.',
    variant: keeps('auth', 'rolesOf', (user) => user.name),
    async shows({ edda, otto }) {
      const document = await edda.make('Document');
      await otto.make('Dossier');
      return (await otto.get(document.path)).status === 200;
    },
  },
  'access.whoever-holds-the-tag': {
    source: 'core: Authentication 7',
    breaks: 'Collection routes need a Collection Administrator, whatever the caller holds already.',
    variant: (classes) => {
      const tags = new Set<string>();
      return together(
        changes('caching', 'conditional', (found) => {
          tags.add(String(found.headers?.['ETag']));
          return found;
        }),
        replaces('auth', 'authorize', (right, areas, user, access, call) => {
          const isHeld = call.method === 'GET' && tags.has(call.headers['if-none-match'] ?? '');
          if (access !== 'collection' || !isHeld) right(areas, user, access, call);
        }),
      )(classes);
    },
    async shows({ cora, edda }) {
      const path = '/api/collection/space';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await edda.get(path, { 'if-none-match': tag })).status !== 403;
    },
  },
  'jobs.reports-by-a-role-elsewhere': {
    source: 'core: Authentication 7',
    breaks: 'Reports on a job need a role in the space of that job, not in any.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isReport = access === 'participant' && call.method === 'PUT';
      const holdsAny = [...areas.configuration.spaces.values()].some(
        (space) => areas.auth.rolesOf(user, space).length > 0,
      );
      if (!isReport || !holdsAny) right(areas, user, access, call);
    }),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service);
      return (await service.otto.put(`${job}/progress`, undefined, { message: 'm' })).status < 400;
    },
  },
  'access.participant-of-another-space': {
    source: 'core: Authentication 7',
    breaks: 'A space route needs a role in that space, also where its path names a participant of another one.',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      if (area.kind !== 'participant') return right(areas, user, area, call);
      return areas.configuration.spaces
        .values()
        .some(({ participants }) => participants.get(area.participantId)?.has(user.name) ?? false);
    }),
    async shows({ otto }) {
      const base = '/api/space/main/participant/keeper/fs/file';
      return (await otto.upload('note.txt', 'text', base)).status === 201;
    },
  },
  'batch.collection-administrator-reads': {
    source: 'core: Authentication 7',
    breaks: 'A Collection Administrator without a role in the space reads nothing there, by a batch neither.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('auth', 'authorize', (right, areas, user, access, call) => {
        const opensBatch = access === 'participant' && call.url.endsWith('/batch');
        const readsThere = access === 'space' && batch.isOn() && call.method === 'GET';
        if (!areas.auth.mayAdministrate(user) || (!opensBatch && !readsThere)) right(areas, user, access, call);
      }),
    ),
    async shows({ edda, cora }) {
      const made = await edda.make('Document', { title: 'of main' });
      return (await cora.batch([readOf(made)])).status === 200;
    },
  },
  'access.pages-for-members-of-other-spaces': {
    source: 'core: Authentication 7',
    breaks: 'A page of an array asks for a role in the space of the object, as the read of the object does.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const isMember = spaces.some((space) => areas.auth.rolesOf(user, space).length > 0);
      if (isMember && call.params['arrayPortId'] !== undefined) return;
      right(areas, user, access, call);
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { files: [{ name: 'secret' }] });
      return (await otto.get(pagePath(made, 'files', 0))).status !== 403;
    },
  },
  'access.a-refusal-sticks-to-the-user': {
    source: 'core: Authentication 7',
    breaks: 'Whoever has a role on a participant of a space may use it, also right after another space refused him.',
    variant: breaks('auth', 'authorize', (right) => {
      const refused = new Set<string>();
      return (areas, user, access, call) => {
        if (access === 'space' && refused.delete(user.name)) throw new Refusal(403, 'Refused a moment ago.');
        try {
          right(areas, user, access, call);
        } catch (error) {
          if (access === 'space' && error instanceof Refusal && error.status === 403) refused.add(user.name);
          throw error;
        }
      };
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier');
      await otto.get('/api/space/main/softtype/none');
      return (await otto.get(made.path)).status === 403;
    },
  },
  'auth.no-token-beside-the-api': {
    source: 'core: Errors 401',
    breaks: 'Without a token the answer is 401, also on a route without the prefix of the others.',
    variant: replaces('auth', 'authenticate', (right, areas, call) => {
      if (call.url.startsWith('/space/') && call.headers['authorization'] === undefined)
        throw new Refusal(403, 'Nobody may do that.');
      return right(areas, call);
    }),
    async shows({ nobody }) {
      const items = [{ $id: 'd', $softType: 'Document', data: { title: 't' } }];
      return (await nobody.multiCreate(items)).status !== 401;
    },
  },
  'access.what-was-once-downloaded': {
    source: 'core: Errors, 403',
    breaks: 'Who has no access to a file is forbidden to download it, also where somebody else has just done so.',
    variant: breaks('fileAreas', 'mayUseArea', (right) => {
      const downloaded = new Set<string>();
      return (areas, user, area, call) => {
        if (call.method !== 'GET') return right(areas, user, area, call);
        if (right(areas, user, area, call)) downloaded.add(pathOf(call));
        return downloaded.has(pathOf(call));
      };
    }),
    async shows({ edda, nora }) {
      await edda.upload('read/once.txt', 'secret');
      await edda.get(`${spaceFiles}/read/once.txt`);
      return (await nora.get(`${spaceFiles}/read/once.txt`)).status !== 403;
    },
  },
};

function pathOf({ url }: Call): string {
  return url.split('?', 1)[0] ?? '';
}

/** Who holds the copy that was given out last is told that it still is right, whoever that is. */
function heldCopiesFirst(isMeant: (route: Route) => boolean, status: 401 | 403): Variant {
  const tags = new Map<string, string>();
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    try {
      const answer = await right(areas, route, call);
      const tag = answer.headers?.['ETag'];
      if (call.method === 'GET' && tag !== undefined && isMeant(route)) tags.set(pathOf(call), tag);
      return answer;
    } catch (error) {
      const tag = tags.get(pathOf(call));
      const isHeld = call.method === 'GET' && tag !== undefined && call.headers['if-none-match'] === tag;
      if (!(error instanceof Refusal) || error.status !== status || !isHeld) throw error;
      return { status: 304, headers: { ETag: tag } };
    }
  });
}

/** The batch route has judged the role already, so that its operations go where they want to. */
function batchesAcrossSpaces(): Variant {
  const foreign = new WeakSet<object>();
  return together(
    replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const [, spaceId = ''] = /\/space\/([^/?]+)/.exec(String(at(value, '/href'))) ?? [];
      const space = areas.configuration.spaces.get(spaceId) ?? batch.space;
      const prepared = right(areas, { ...batch, space }, table, value, index);
      if (space !== batch.space) foreign.add(prepared.call);
      return prepared;
    }),
    replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      if (!foreign.has(prepared.call)) return right(areas, prepared, writing);
      return areas.dispatcher.carryOutWrite(prepared.route, prepared.call, writing);
    }),
  );
}
