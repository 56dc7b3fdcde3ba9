import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { breaks, together, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, named } from '../proofs.ts';
import { at, listAt, many, movePath, versionHeader } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

/** Versions that objects had before they were demoted, by id. */
const demoted = new Map<string, number>();

export const readingMistakes: Batch = {
  'reading.href-of-the-first-space': {
    source: 'core: SoftType read response',
    breaks: 'The href of an instance leads to it, in whatever space it is.',
    kind: 'place',
    variant: replaces('instances', 'assembleInstance', async (right, areas, call, ...args) => {
      const instance = await right(areas, call, ...args);
      const [first = ''] = areas.configuration.spaces.keys();
      return { ...instance, href: instance.href.replace(`/space/${call.space.id}/`, `/space/${first}/`) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Dossier', { title: 'elsewhere' });
      return (await edda.get(String(at(await edda.read(made), '/href')))).status !== 200;
    },
  },

  'reading.inner-version-behind-a-demote': {
    source: 'core: System properties inside data',
    breaks: 'The version inside the data is that of the response, also when the last step was a demote.',
    kind: 'combination',
    variant: together(
      replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        demoted.set(call.object.oid, call.object.version);
        return answer;
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const members = right(areas, object);
        const before = demoted.get(object.oid);
        return before === object.version - 1 ? { ...members, $version: before } : members;
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demoted' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return at(await edda.read(made), '/data/$version') !== 3;
    },
  },

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

  'paging.pages-by-entry-ids': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold what the first read left out, also when an entry before it was removed.',
    kind: 'combination',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      if (range.from === 0 || filter !== undefined || section.items !== undefined)
        return right(areas, reading, object, section, range, filter);
      const all = await right(areas, reading, object, section, whole);
      return all.filter(({ entryId }) => entryId > range.from && entryId <= range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'eighteen', files: named(18) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/3/' }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 7;
    },
  },

  'paging.total-of-what-is-filtered-out': {
    source: 'core: Server side paging 5',
    breaks: 'A filter shapes the links too: they count what it lets through.',
    kind: 'combination',
    variant: replaces('entries', 'totalOf', (right, areas, reading, object, section) =>
      right(areas, reading, object, section),
    ),
    async shows({ edda }) {
      const files = many(17, (number) => ({ name: `n${number}`, category: number > 5 ? 'drawing' : 'letter' }));
      const made = await edda.make('Document', { title: 'filtered', files });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      const link = listAt(read, '/links').find((each) => at(each, '/sectionPath') === 'files');
      return at(link, '/totalNumber') !== 12;
    },
  },
};

export const accessMistakes: Batch = {
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

  'auth.pages-without-a-role': {
    source: 'core: Authentication 7',
    breaks: 'Space routes need a role in the space, that of a page as well.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      if (!call.url.includes('/softtype/page/')) right(areas, user, access, call);
    }),
    async shows({ edda, nora }) {
      const made = await edda.make('Document', { title: 'pages', files: named(11) });
      return (await nora.page(made, 'files', 1)).status !== 403;
    },
  },

  'headers.filter-of-a-demote': {
    source: 'core: Common request headers',
    breaks: 'Each space route asks for the information filter, that of a demote as well.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const isMissing = call.headers[headerNames.informationFilter.toLowerCase()] === undefined;
      return isMissing && call.url.includes('/demote/') ? {} : right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'filter' });
      await edda.move(made, 1);
      const headers = { ...versionHeader(2), [headerNames.informationFilter]: '' };
      return (await edda.send('PUT', movePath(made, 'demote'), { headers })).status < 400;
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

  'caching.second-change': {
    source: 'core: Versioning 4',
    breaks: 'Changed data is sent anew, also when it has changed before.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      const seen = new Map<string, Set<string>>();
      return (areas, call, answer) => {
        const key = `${call.headers['authorization']} ${call.url}`;
        const tags = seen.get(key) ?? new Set();
        const own = areas.caching.etagOf(answer.raw ?? JSON.stringify(answer.body));
        if (tags.size < 2) seen.set(key, tags.add(own));
        const shown = tags.has(own) ? own : [...tags].at(-1);
        return right(within(areas, { caching: { etagOf: () => shown ?? own } }), call, answer);
      };
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      let tag = '';
      for (const displayName of ['one', 'two', 'three']) {
        await cora.put(path, undefined, { displayName });
        const answer = await cora.get(path, tag === '' ? {} : { 'If-None-Match': tag });
        if (answer.status === 304) return true;
        tag = answer.headers.get('etag') ?? '';
      }
      return false;
    },
  },
};
