import { buffer } from 'node:stream/consumers';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, type Variant, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { basic, bulkUpload, collectionFiles, named, profilePath, promoteOf, readPageLink, tokenOf } from '../proofs.ts';
import { at, editPath, listAt, many, spaceFiles, versionHeader } from '../service.ts';
import { changes, isRefusal, smallBytes } from '../variant-parts.ts';

/** How long a second click is taken for the first one. */
const doubleClickMs = 2000;

export const collectionAndSpacesMistakes: Mistakes = {
  'collection.a-password-is-an-administrator': {
    source: 'core: Authentication 7',
    breaks: 'A collection route needs the Collection Administrator, by whichever credential somebody comes.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isByPassword = /^basic/i.test(call.headers['authorization'] ?? '');
      return right(areas, user, access === 'collection' && isByPassword ? 'user' : access, call);
    }),
    async shows({ nobody }) {
      const authorization = basic('edda', 'svcpat-edda-7d1c0b9e5a');
      return (await nobody.get('/api/collection/space', { authorization })).status === 200;
    },
  },
  'spaces.definitions-of-all-templates': {
    source: 'core: What the service does',
    breaks: 'The SoftTypes of a space are those of the template that it was made from.',
    variant: replaces('objects', 'softTypeOf', (right, areas, space, definitionId) => {
      const all = [...areas.configuration.templates.values()];
      const template = all.find(({ softTypes }) => softTypes.has(definitionId)) ?? space.template;
      return right(areas, { ...space, template }, definitionId);
    }),
    shows: async ({ edda }) =>
      (await edda.post('/api/space/depot/softtype/Document/documentInput', { title: 't' })).status === 201,
  },
  'access.readers-move-in-a-batch': {
    source: 'core: What the service does, Space level',
    breaks: 'A role that may only read performs no maturity action, be it in a batch.',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      if (prepared.route.path !== routes.promote) return right(areas, prepared, writing);
      return areas.dispatcher.carryOutWrite(prepared.route, prepared.call, writing);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      const operation = promoteOf(made, 1);
      return at((await rita.batch([operation])).json, '/0/statusCode') === 204;
    },
  },
  'access.put-by-a-reader-of-what-he-knows': {
    source: 'core: What the service does, Space level',
    breaks: 'A role that may only read replaces nothing, be the version right.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMeant = call.method === 'PUT' && call.url.includes('/softtype/') && access === 'space';
      const rights = isMeant ? { ...call, method: 'GET' } : call;
      right(areas, user, access, rights);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part');
      return (await rita.put(editPath(made), 1, { name: 'q' })).status !== 403;
    },
  },
  'access.administrator-of-the-collection-looks-in': {
    source: 'core: What the service does, space level, access',
    breaks: 'A space is open to who holds a role in it, a Collection Administrator not excepted.',
    variant: replaces(
      'auth',
      'mayUse',
      (right, areas, user, space, method) =>
        right(areas, user, space, method) || (method === 'GET' && areas.auth.mayAdministrate(user)),
    ),
    async shows({ edda, cora }) {
      const made = await edda.make('Document');
      return (await cora.get(made.path)).status === 200;
    },
  },
  'access.readers-write-by-batch': {
    source: 'core: What the service does, space level, second sentence',
    breaks: 'The role decides which methods there are, also for the operations of a batch.',
    variant: replaces('batch', 'carryOutOperation', (_right, areas, { route, call }, writing) =>
      areas.dispatcher.carryOutWrite(route, call, writing),
    ),
    async shows({ rita }) {
      const href = '/api/space/main/softtype/Part/partInput';
      return (await rita.batch([{ method: 'POST', href, body: { name: 'p' } }])).status === 200;
    },
  },
  'paging.pages-kept-for-everybody': {
    source: 'core: What the service does, space level, access',
    breaks: 'A page is for those who hold a role in the space, also where somebody else has just read it.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, route, call) => {
        if (route.path !== routes.page) return right(areas, route, call);
        try {
          const answer = await right(areas, route, call);
          kept.set(call.url, answer);
          return answer;
        } catch (error) {
          const known = kept.get(call.url);
          if (known !== undefined && error instanceof Refusal && error.status === 403) return known;
          throw error;
        }
      };
    }),
    async shows({ edda, nora }) {
      const made = await edda.make('Document', { files: named(11) });
      await edda.page(made, 'files', 1);
      return (await nora.page(made, 'files', 1)).status === 200;
    },
  },
  'editing.second-click': {
    source: 'core: What the service does',
    breaks: 'Two creates make two objects, also where the second one says the same as the first.',
    variant: breaks('editing', 'createObject', (right) => {
      const clicks = new Map<string, { readonly at: number; readonly answer: ReturnType<typeof right> }>();
      return (areas, call, writing) => {
        const now = areas.clock.now();
        const key = [call.user.name, call.url, call.body?.toString()].join(' ');
        const former = clicks.get(key);
        if (former !== undefined && now - former.at < doubleClickMs) return former.answer;
        const answer = right(areas, call, writing);
        clicks.set(key, { at: now, answer });
        return answer;
      };
    }),
    async shows({ edda }) {
      const first = await edda.make('Requirement', { text: 'twice' });
      const second = await edda.make('Requirement', { text: 'twice' });
      return first.oid === second.oid;
    },
  },
  'spaces.delete-from-the-neighbour': {
    source: 'core: What the service does',
    breaks: 'An object is in one space: who has a role in two does not reach it by the path of the other.',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      if (call.method !== 'DELETE') return right(areas, call, reading);
      for (const space of areas.configuration.spaces.values()) {
        const object = await reading.object(space.id, call.params['objectId'] ?? '');
        if (object !== undefined && areas.auth.rolesOf(call.user, space).length > 0) return object;
      }
      return right(areas, call, reading);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'here' });
      await edda.delete(`/api/space/depot/softtype/${made.oid}`);
      return (await edda.get(made.path)).status === 404;
    },
  },
  'collection.name-of-other-letters-only': {
    source: 'core: What the service does, collection level',
    breaks: 'A display name that is written is the one that is read, also where letters alone became capitals.',
    survives: 'whether a profile keeps capitals apart is not shown',
    variant: replaces('collection', 'putProfile', async (right, areas, call, writing) => {
      const stored = JSON.parse((await writing.document('userProfile', call.user.name)) ?? '{}') as object;
      const former = String(at(stored, '/displayName'));
      const isSame = former.toLowerCase() === call.json.displayName.toLowerCase();
      return isSame ? { status: 204 } : right(areas, call, writing);
    }),
    async shows({ cora }) {
      await cora.put(profilePath, undefined, { displayName: 'cora' });
      await cora.put(profilePath, undefined, { displayName: 'CORA' });
      return at((await cora.get(profilePath)).json, '/displayName') !== 'CORA';
    },
  },
  'spaces.blank-behind-the-id': {
    source: 'core: What the service does, space level',
    breaks: 'A text that is no identifier of a space leads to none, also where it is one with a blank behind it.',
    survives: 'a store may compare texts without the blanks at their ends, and leads nobody to what is not his',
    variant: replaces('auth', 'spaceOf', (right, areas, call) =>
      right(areas, { ...call, params: { ...call.params, spaceId: (call.params['spaceId'] ?? '').trimEnd() } }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'blank' });
      return (await edda.get(made.path.replace('/main/', '/main%20/'))).status === 200;
    },
  },
  'profile.tail-of-the-former-name': {
    source: 'core: What the service does',
    breaks: 'The display name of a profile is the one that was put last, without an end of the one before.',
    variant: replaces('collection', 'putProfile', async (right, areas, call, writing) => {
      const text = await writing.document('userProfile', call.user.name);
      const former = String(at(JSON.parse(text ?? '{}'), '/displayName') ?? '');
      const { displayName } = call.json;
      return right(areas, { ...call, json: { displayName: displayName + former.slice(displayName.length) } }, writing);
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cordelia' });
      await cora.put(path, undefined, { displayName: 'Cora' });
      return at((await cora.get(path)).json, '/displayName') !== 'Cora';
    },
  },
  'access.link-opens-the-collection': {
    source: 'core: What the service does, collection level',
    breaks: 'The collection is open to its administrators alone, for a download with the token in its query too.',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      const isLink = area.kind === 'collection' && call.method === 'GET' && call.query.has('token');
      return isLink || right(areas, user, area, call);
    }),
    async shows(service) {
      await service.cora.upload('note.txt', 'text', collectionFiles);
      const token = await tokenOf(service, 'rita');
      return (await service.nobody.get(`${collectionFiles}/note.txt?token=${token}`)).status === 200;
    },
  },
  'reading.second-node-hears-of-no-promote': {
    source: 'core: What the service does, the gateway',
    breaks: 'Behind the gateway any node answers with the object as it is, after a promote too.',
    variant: ofTwoNodes(),
    async shows({ edda }) {
      const made = await edda.make('Document');
      for (const _each of many(2, () => 0)) await edda.read(made);
      await edda.move(made, 1);
      const reads = [await edda.read(made), await edda.read(made)];
      return reads.some((read) => at(read, '/version') === 1);
    },
  },
  'reading.last-who-passed': {
    source: 'core: What the service does',
    breaks: 'A user needs a role in the space that he asks for, whatever space he was let into just before.',
    variant: breaks('auth', 'mayUse', (right) => {
      let last: string | undefined;
      return (areas, user, space, method) => {
        const isKnown = last === user.name && areas.auth.rolesOf(user, space).length === 0;
        if (!right(areas, user, space, method)) return isKnown;
        last = user.name;
        return true;
      };
    }),
    async shows({ edda, otto }) {
      const secret = await edda.make('Document', { title: 'secret' });
      const open = await otto.make('Dossier', { title: 'open' });
      await otto.read(open);
      return (await otto.get(secret.path)).status === 200;
    },
  },
  'roles.granted-to-the-token': {
    source: 'core: What the service does',
    breaks: 'A space is open to who has a role in that space, whatever space the token has opened before.',
    variant: breaks('auth', 'authorize', (right) => {
      const granted = new Set<string>();
      return (areas, user, access, call) => {
        const { authorization = '' } = call.headers;
        const key = `${call.method} ${authorization}`;
        if (access === 'space' && granted.has(key)) return;
        right(areas, user, access, call);
        if (access === 'space' && authorization.split('.').length === 3) granted.add(key);
      };
    }),
    async shows(service) {
      const headers = { authorization: `Bearer ${await tokenOf(service, 'otto')}` };
      const open = await service.otto.make('Dossier');
      const closed = await service.edda.make('Document');
      await service.nobody.get(open.path, headers);
      return (await service.nobody.get(closed.path, headers)).status === 200;
    },
  },
  'files.kept-by-the-node': {
    source: 'core: What the service does',
    breaks: 'Behind the gateway there is one service: a download has the content that a bulk upload has put there.',
    variant: keepsDownloads(),
    async shows(service) {
      await service.edda.upload('a.txt', 'old');
      await service.edda.get(`${spaceFiles}/a.txt`);
      await bulkUpload(service, { 'a.txt': 'newer' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'old';
    },
  },
  'root.nested-arrays': {
    source: 'core: What the service does',
    breaks: 'Everything is below the API root, the pages of an array inside an entry too.',
    variant: changes('entries', 'pageHref', (href, _areas, _object, _view, section) =>
      section.items === undefined ? href : href.replace(/^\/api/, ''),
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'f', revisions }] });
      const links = listAt(await edda.read(made), '/links');
      const link = links.find((candidate) => String(at(candidate, '/sectionPath')).includes('revisions'));
      return !String(at(link, '/href')).startsWith('/api/');
    },
  },
  'reading.links-for-readers': {
    source: 'core: What the service does',
    breaks: 'The links of a read are those that the current user may follow, under every output schema.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, ...rest) => {
      const isDefault = view === areas.objects.viewOfRead({ ...call, params: {} }, object).view;
      const generous = within(areas, { auth: { mayUse: () => true } });
      return right(isDefault ? areas : generous, call, object, view, ...rest);
    }),
    async shows({ edda, rita }) {
      const { oid } = await edda.make('Document', { title: 'to be read' });
      const path = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      const links = listAt((await rita.get(path)).json, '/links');
      return links.some((link) => at(link, '/method') !== 'GET');
    },
  },
  'spaces.edit-by-the-id-alone': {
    source: 'core: What the service does',
    breaks: 'A path below a space leads to objects of that space, whoever has a role in it.',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const { objectId = '' } = call.params;
      for (const space of areas.configuration.spaces.values())
        if ((await writing.object(space.id, objectId)) !== undefined)
          return right(areas, route, { ...call, space }, writing);
      return right(areas, route, call, writing);
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Dossier');
      const path = `/api/space/main/softtype/Dossier/dossierInput/${oid}`;
      const edit = { headers: versionHeader(1), body: { note: 'from main' } };
      return (await service.emil.send('PATCH', path, edit)).status < 400;
    },
  },
  'access.reader-demotes': {
    source: 'core: What the service does, space level',
    breaks: 'The role decides on PUT, also where it demotes.',
    variant: replaces('auth', 'authorize', (right, areas, user, route, call) => {
      right(areas, user, call.url.includes('/maturityAction/demote/') ? 'participant' : route, call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      return (await rita.move(made, 2, 'demote')).status < 300;
    },
  },
  'access.anybody-lists-a-user-area': {
    source: 'core: What the service does',
    breaks: 'Without a role in the space no route below it opens, the listing of the own files neither.',
    variant: replaces(
      'fileAreas',
      'mayUseArea',
      (right, areas, user, area, call) =>
        (area.kind === 'user' && call.url.includes('/user/fs/dir')) || right(areas, user, area, call),
    ),
    shows: async ({ nora }) => (await nora.get('/api/space/main/user/fs/dir')).status === 200,
  },
  'profile.spaces-in-names': {
    source: 'core: What the service does, collection level',
    breaks: 'A display name is kept as it was given, with all its blanks.',
    survives: 'Fields of user profiles are not shown, nor what form of a display name is kept.',
    variant: replaces('collection', 'putProfile', (right, areas, call, writing) =>
      right(areas, { ...call, json: { displayName: call.json.displayName.replace(/ {2,}/g, ' ') } }, writing),
    ),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cora  Collection' });
      return at((await cora.get(path)).json, '/displayName') !== 'Cora  Collection';
    },
  },
  'batch.href-of-an-inner-host': {
    source: 'core: What the service does, gateway',
    breaks: 'A client talks to the gateway alone: the href of a promote in a batch leads there too.',
    variant: changes('batch', 'writtenBody', (body, _areas, call) => {
      if (call.params['levelId'] === undefined || !isContent(body)) return body;
      return { ...body, href: `http://node-1.internal:8080${String(body['href'])}` };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const answer = await edda.batch([promoteOf(made, 1)]);
      return String(at(answer.json, '/0/body/href')).includes('internal');
    },
  },
  'access.the-second-try-is-let-in': {
    source: 'core: What the service does',
    breaks: 'Whoever holds no role in a space reads nothing there, however often the request is made.',
    variant: breaks('auth', 'authorize', (right) => {
      const refused = new Set<string>();
      return (areas, user, access, call) => {
        const key = `${user.name} ${call.url}`;
        try {
          right(areas, user, access, call);
        } catch (error) {
          if (!isRefusal(error, 403) || access !== 'space' || call.method !== 'GET') throw error;
          if (refused.has(key)) return;
          refused.add(key);
          throw error;
        }
      };
    }),
    async shows({ edda, nora }) {
      const { path } = await edda.make('Document');
      await nora.get(path);
      return (await nora.get(path)).status === 200;
    },
  },
  'reading.page-in-another-charset': {
    source: 'core: What the service does',
    breaks: 'Payloads are JSON, which is UTF-8, on a later page as well.',
    variant: changes('paging', 'readPage', (answer, _areas, call) => {
      if (call.params.pageNumber === '0') return answer;
      return {
        ...answer,
        headers: { ...answer.headers, 'Content-Type': 'application/json' },
        raw: Buffer.from(JSON.stringify(answer.body), 'latin1').toString('utf8'),
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'page', files: many(11, (n) => ({ name: `größe ${n}` })) });
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'größe 11';
    },
  },
  'reading.links-of-another-space': {
    source: 'core: What the service does',
    breaks: 'What stands behind the root of a space is the id of that space, in links to pages as well.',
    variant: replaces('entries', 'pageHref', (right, areas, object, ...rest) => {
      const [first = object.spaceId] = areas.configuration.spaces.keys();
      return right(areas, { ...object, spaceId: first }, ...rest);
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 'pages', sheets: many(11, (n) => ({ name: `sheet ${n}` })) });
      const page = await readPageLink(otto, made);
      return !String(at(page, '/href')).includes('/space/depot/');
    },
  },
  'reading.trimmed-texts': {
    source: 'core: What the service does',
    breaks: 'What is stored is what was sent, blanks at its ends included.',
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
  'auth.let-in-once': {
    source: 'core: What the service does',
    breaks: 'A role decides on each method: whoever has read an object may not delete it for that.',
    variant: breaks('auth', 'authorize', (right) => {
      const passed = new Set<string>();
      return (areas, user, access, call) => {
        const key = `${user.name} ${call.url}`;
        if (access === 'space' && passed.has(key)) return;
        right(areas, user, access, call);
        passed.add(key);
      };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'read' });
      await rita.get(made.path);
      return (await rita.delete(made.path)).status === 204;
    },
  },
  'stream.gives-way-in-the-collection': {
    source: 'core: What the service does, collection level; extensions: File routes, row 1',
    breaks: 'A stream upload fails when the file exists, in a directory of the collection area too.',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const isInside = place.area.kind === 'collection' && place.segments.length > 1;
      const there = isInside ? await areas.fileStore.describe(place) : undefined;
      if (there?.kind === 'file') await areas.files.deleteFile(place);
      return right(areas, call);
    }),
    async shows({ cora }) {
      await cora.upload('inside/note.txt', 'one', collectionFiles);
      return (await cora.upload('inside/note.txt', 'two', collectionFiles)).status === 201;
    },
  },
};

/** Two nodes, of which the second keeps what it read until it hears of an edit. */
function ofTwoNodes(): Variant {
  return (classes) => {
    const edits = new Map<string, number>();
    const kept = new Map<string, Answer>();
    let reads = 0;
    return together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        await right(areas, writing, object, version, content);
        const [before, after] = [object.content, content].map((each) => JSON.stringify(each[statesMember]));
        if (before === after) edits.set(object.oid, (edits.get(object.oid) ?? 0) + 1);
      }),
      replaces('instances', 'readInstance', async (right, areas, call, reading) => {
        reads += 1;
        if (reads % 2 === 0 || 'insertObject' in reading) return right(areas, call, reading);
        const { oid } = call.object;
        const key = `${oid} ${edits.get(oid)} ${call.url} ${call.user.name}`;
        const answer = kept.get(key) ?? (await right(areas, call, reading));
        kept.set(key, answer);
        return answer;
      }),
    )(classes);
  };
}

/** A node that keeps what it sent of small files, until a DELETE reaches it. */
function keepsDownloads(): Variant {
  return (classes) => {
    const kept = new Map<string, Answer>();
    return together(
      replaces('files', 'downloadFile', async (right, areas, call) => {
        const key = JSON.stringify(areas.files.filePlaceOf(call, call.admitted));
        const known = kept.get(key);
        if (known !== undefined && call.headers['if-none-match'] === undefined) return known;
        const answer = await right(areas, call);
        const { stream, ...rest } = answer;
        const isKept = stream !== undefined && stream.size < smallBytes && answer.headers?.['ETag'] !== undefined;
        if (!isKept || answer.status !== 200) return answer;
        kept.set(key, { ...rest, raw: await buffer(stream.content) });
        return kept.get(key) ?? answer;
      }),
      replaces('files', 'deleteFile', (right, areas, place) => {
        kept.delete(JSON.stringify(place));
        return right(areas, place);
      }),
    )(classes);
  };
}
