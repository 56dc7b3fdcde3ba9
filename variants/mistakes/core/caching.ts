import { Buffer } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Areas } from '../../../reference-server/areas.ts';
import type { Space, User } from '../../../reference-server/configuration.ts';
import type { Answer, Call } from '../../../reference-server/http/call.ts';
import { breaks, replaces, together, type Variant, within } from '../../breaks.ts';
import { type Json, mapped } from '../../dialect/choice.ts';
import type { Mistakes } from '../mistake.ts';
import { profilePath } from '../proofs.ts';
import { at, listAt, pagePath, spaceFiles } from '../service.ts';
import { changes, perServer } from '../variant-parts.ts';

/** How long an ETag stays the same, in ms. */
const tagPeriodMs = 600_000;

export const cachingMistakes: Mistakes = {
  'caching.held-tag-opens': {
    source: 'core: Errors 403; Authentication 6',
    breaks: 'Who has no access is told so, whatever tag he holds.',
    variant: heldTagOpens(),
    async shows({ cora, edda }) {
      const etag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      return (await edda.get('/api/collection/template', { 'if-none-match': etag })).status === 304;
    },
  },
  'caching.tag-of-what-is-compressed': {
    source: 'core: Versioning 4',
    breaks: 'Unchanged data answer 304 to their tag, also to a client that takes gzip.',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      if (!call.headers['accept-encoding']?.includes('gzip')) return right(areas, call, answer);
      const { 'if-none-match': _condition, ...headers } = call.headers;
      const plain = right(areas, { ...call, headers }, answer);
      const tag = plain.headers?.['ETag']?.replace(/"$/, '-gzip"') ?? '';
      return { ...plain, headers: { ...plain.headers, ETag: tag } };
    }),
    async shows({ cora }) {
      const gzip = { 'accept-encoding': 'gzip' };
      const path = '/api/collection/space';
      const tag = (await cora.get(path, gzip)).headers.get('etag') ?? '';
      return (await cora.get(path, { ...gzip, 'if-none-match': tag })).status !== 304;
    },
  },
  'caching.tag-of-packed-bytes': {
    source: 'core: Versioning 4',
    breaks:
      'Unchanged data answer 304 to their tag, also where what packs them for a client that takes gzip writes down the second.',
    variant: together(
      replaces('caching', 'conditional', (right, areas, call, answer) => {
        if (!call.headers['accept-encoding']?.includes('gzip')) return right(areas, call, answer);
        const { 'if-none-match': condition, ...headers } = call.headers;
        const plain = right(areas, { ...call, headers }, answer);
        const tag = plain.headers?.['ETag']?.replace(/"$/, `-${Math.floor(Date.now() / 1000)}"`) ?? '';
        if (condition === tag) return right(areas, { ...call, headers: { ...headers, 'if-none-match': '*' } }, answer);
        return { ...plain, headers: { ...plain.headers, ETag: tag } };
      }),
      replaces('dispatcher', 'answer', async (right, areas, call, work) => {
        const answer = await right(areas, call, work);
        const { body, ...others } = answer;
        if (body === undefined || answer.headers?.['ETag'] === undefined) return answer;
        if (!call.headers['accept-encoding']?.includes('gzip')) return answer;
        const headers = { 'Content-Type': 'application/json', ...answer.headers, 'Content-Encoding': 'gzip' };
        return { ...others, headers, raw: gzipSync(JSON.stringify(body)) };
      }),
    ),
    async shows({ cora }) {
      const gzip = { 'accept-encoding': 'gzip' };
      const path = '/api/collection/space';
      const tag = (await cora.get(path, gzip)).headers.get('etag') ?? '';
      await sleep(1100);
      return (await cora.get(path, { ...gzip, 'if-none-match': tag })).status !== 304;
    },
  },
  'caching.tag-of-lower-bytes': {
    source: 'core: Versioning 4',
    breaks: 'Changed data gives 200, also where one letter gave way to another that is alike in its lower byte.',
    variant: replaces('caching', 'etagOf', (_right, _areas, representation) => {
      const bytes = Buffer.from(String(representation), 'latin1');
      return `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    }),
    async shows({ cora }) {
      await cora.put(profilePath, undefined, { displayName: 's' });
      const tag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      await cora.put(profilePath, undefined, { displayName: '\u0173' });
      return (await cora.get(profilePath, { 'If-None-Match': tag })).status === 304;
    },
  },
  'caching.tag-with-the-time': {
    source: 'core: Errors',
    breaks: 'Data that has not changed gives 304 to whoever holds its ETag, however long ago it was given.',
    variant: replaces('caching', 'etagOf', (right, areas, representation) => {
      const period = Math.floor(areas.clock.now() / tagPeriodMs);
      return right(areas, `${period} ${representation.toString()}`);
    }),
    async shows({ cora, pass }) {
      const path = '/api/collection/space';
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      await pass(tagPeriodMs / 1000);
      return (await cora.get(path, { 'if-none-match': etag })).status !== 304;
    },
  },
  'caching.for-one-at-a-time': {
    source: 'core: Versioning 4',
    breaks: 'Unchanged data answer 304 to their tag, also while somebody else asks for them.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      let underWay = 0;
      return async (areas, route, call) => {
        const { 'if-none-match': condition, ...headers } = call.headers;
        if (condition === undefined) return right(areas, route, call);
        const isAlone = underWay === 0;
        underWay += 1;
        try {
          await sleep(5);
          return await right(areas, route, isAlone ? call : { ...call, headers });
        } finally {
          underWay -= 1;
        }
      };
    }),
    async shows({ cora }) {
      const path = '/api/collection/space';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      const replies = await Promise.all([1, 2, 3].map(() => cora.get(path, { 'if-none-match': tag })));
      return replies.some(({ status }) => status !== 304);
    },
  },
  'caching.told-once': {
    source: 'core: Errors',
    breaks: 'Whoever holds the data is told so every time he asks.',
    variant: breaks('caching', 'conditional', (right) => {
      const told = new Set<string>();
      return (areas, call, answer) => {
        const key = JSON.stringify([call.url, call.headers['authorization'], call.headers['if-none-match']]);
        const { 'if-none-match': _held, ...headers } = call.headers;
        const next = right(areas, told.has(key) ? { ...call, headers } : call, answer);
        if (!told.delete(key) && next.status === 304) told.add(key);
        return next;
      };
    }),
    async shows({ cora }) {
      const etag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      await cora.get(profilePath, { 'if-none-match': etag });
      return (await cora.get(profilePath, { 'if-none-match': etag })).status === 200;
    },
  },
  'paging.not-modified-for-any-tag': {
    source: 'core: Errors, row 200',
    breaks: 'A page is part of a SoftType: there is no tag of it, so that a GET has its data.',
    survives:
      'What If-None-Match does on reads of SoftTypes is said by exclusion only, and HTTP has 304 for any tag of what is there.',
    variant: changes('paging', 'readPage', (answer, areas, call) =>
      call.headers['if-none-match'] === '*' ? areas.caching.notModified(answer.headers ?? {}) : answer,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.get(pagePath(made, 'files', 0), { 'if-none-match': '*' })).status === 304;
    },
  },
  'caching.tags-in-any-case': {
    source: 'core: Errors, 304',
    breaks: 'Data are not modified where the tag sent equals theirs, which another one in capitals does not.',
    variant: replaces('caching', 'ifNoneMatch', (right, areas, header, etag) =>
      right(
        areas,
        header.replaceAll(/"[^"]*"/g, (tag) => tag.toLowerCase()),
        etag.toLowerCase(),
      ),
    ),
    async shows({ cora }) {
      const { headers } = await cora.get(profilePath);
      const again = await cora.get(profilePath, { 'If-None-Match': otherCase(headers.get('etag') ?? '') });
      return again.status === 304;
    },
  },
  'caching.tag-of-members-in-any-order': {
    source: 'core: Versioning 4',
    breaks: 'Data that nobody has changed answer 304, in whatever order a hash table gives their members.',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) =>
      right(areas, call, answer.raw === undefined ? { ...answer, body: mapped(answer.body, inAnyOrder) } : answer),
    ),
    async shows({ cora }) {
      const tags = new Set<string | null>();
      for (let left = 20; left > 0; left -= 1) tags.add((await cora.get(profilePath)).headers.get('etag'));
      return tags.size > 1;
    },
  },
  'etag.counts-from-the-start': {
    source: 'core: Versioning 4',
    breaks: 'Changed data gives 200, also where the service was started again after the tag was given.',
    variant: breaks('caching', 'etagOf', () => {
      const known = new Map<string, number>();
      return (_areas, representation) => {
        const text = representation.toString();
        known.set(text, known.get(text) ?? known.size + 1);
        return `"${known.get(text)}"`;
      };
    }),
    async shows({ cora, restart }) {
      const etag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      await cora.put(profilePath, undefined, { displayName: 'Another' });
      await restart();
      return (await cora.get(profilePath, { 'If-None-Match': etag })).status === 304;
    },
  },
  'caching.tags-change-with-a-restart': {
    source: 'core: Versioning 4',
    breaks: 'A read with the tag of data that has not changed gives 304, also after the service was started anew.',
    variant: breaks('caching', 'etagOf', (right) => {
      const salt = randomUUID();
      return (areas, representation) =>
        `"${createHash('sha256').update(salt).update(right(areas, representation)).digest('hex')}"`;
    }),
    shows: async ({ cora, restart }) => {
      const etag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      await restart();
      return (await cora.get('/api/collection/template', { 'If-None-Match': etag })).status !== 304;
    },
  },
  'caching.tag-of-the-letters-in-any-order': {
    source: 'core: Versioning 4',
    breaks: 'Changed data give 200, be it that they hold the letters that they held in another order.',
    variant: replaces('caching', 'etagOf', (right, areas, representation) =>
      right(areas, [...String(representation)].toSorted().join('')),
    ),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cora Lee' });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'Lee Cora' });
      return (await cora.get(path, { 'if-none-match': tag })).status === 304;
    },
  },
  'caching.tag-of-the-length': {
    source: 'core: Versioning 4',
    breaks: 'Data that has changed is sent with 200, also where it is as long as before.',
    variant: replaces('caching', 'etagOf', (_right, _areas, text) => `"${Buffer.byteLength(text).toString(16)}"`),
    async shows({ cora }) {
      await cora.put(profilePath, undefined, { displayName: 'Cora One' });
      const tag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      await cora.put(profilePath, undefined, { displayName: 'Cora Two' });
      return (await cora.get(profilePath, { 'If-None-Match': tag })).status === 304;
    },
  },
  'caching.tag-of-the-second': {
    source: 'core: Versioning 4',
    breaks: 'Changed data gives 200, also when it changed within the second in which it was read.',
    variant: breaks('caching', 'conditional', () => {
      const changes = new Map<string, { readonly text: string; readonly second: number }>();
      return (areas, call, answer) => {
        const key = `${'user' in call ? JSON.stringify(call.user) : ''} ${call.url}`;
        const text = String(answer.raw ?? JSON.stringify(answer.body));
        const known = changes.get(key);
        const change = known?.text === text ? known : { text, second: Math.floor(areas.clock.now() / 1000) };
        changes.set(key, change);
        const headers = { ...answer.headers, ETag: `"${change.second}"`, 'Cache-Control': 'private, no-cache' };
        const condition = call.headers['if-none-match'];
        return condition !== undefined && areas.caching.ifNoneMatch(condition, headers.ETag)
          ? areas.caching.notModified(headers)
          : { ...answer, headers };
      };
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'Cora Changed' });
      return (await cora.get(path, { 'If-None-Match': tag })).status === 304;
    },
  },
  'caching.tag-of-name-and-size': {
    source: 'core: Versioning 4',
    breaks: 'Changed data answer 200, a file that is as long as the one before it too.',
    variant: replaces('fileAreas', 'fileRecordOf', async (right, areas, place, stamp) => {
      const [record, info] = [await right(areas, place, stamp), await areas.fileStore.describe(place)];
      if (record === undefined || info?.kind !== 'file') return record;
      return { ...record, md5: `${info.size}-${encodeURIComponent(place.segments.at(-1) ?? '')}` };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/note.txt`;
      await edda.upload('note.txt', 'old');
      const tag = (await edda.get(path)).headers.get('etag') ?? '';
      await edda.delete(path);
      await edda.upload('note.txt', 'new');
      return (await edda.get(path, { 'if-none-match': tag })).status === 304;
    },
  },
  'etag.of-second-and-length': {
    source: 'core: Versioning 4',
    breaks: 'Data that changed are sent, however soon they changed and however long they are.',
    museum: true,
    variant: (classes) => {
      const kept = new Map<string, { readonly second: number; readonly length: number; readonly etag: string }>();
      return breaks('caching', 'conditional', (right) => (areas, call, answer): Answer => {
        const plain = right(areas, { ...call, headers: { ...call.headers, 'if-none-match': undefined } }, answer);
        if (plain.status !== 200) return plain;
        const key = `${call.url} ${call.headers['authorization'] ?? ''}`;
        const known = kept.get(key);
        const second = Math.floor(areas.clock.now() / 1000);
        const length = (answer.raw ?? JSON.stringify(answer.body)).length;
        const isSame = known?.second === second && known.length === length;
        const etag = isSame ? known.etag : (plain.headers?.['ETag'] ?? '');
        kept.set(key, { second, length, etag });
        const headers = { ...plain.headers, ETag: etag };
        const condition = call.headers['if-none-match'];
        const isHeld = condition !== undefined && areas.caching.ifNoneMatch(condition, etag);
        return isHeld ? areas.caching.notModified(headers) : { ...plain, headers };
      })(classes);
    },
    async shows({ cora }) {
      for (const name of ['one', 'two', 'six', 'ten']) {
        const etag = (await cora.get(profilePath)).headers.get('etag') ?? '';
        await cora.put(profilePath, undefined, { displayName: name });
        if ((await cora.get(profilePath, { 'if-none-match': etag })).status === 304) return true;
      }
      return false;
    },
  },
  'caching.tag-of-a-list-by-its-ids': {
    source: 'core: Versioning 4',
    breaks: 'A list in which one item was changed is changed data, though the same items are in it.',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const items = listAt(answer.body, '/data').map((item) => at(item, '/id'));
      if (items.length === 0 || answer.raw !== undefined) return right(areas, call, answer);
      const tag = areas.caching.etagOf(JSON.stringify([call.url, items]));
      return right(within(areas, { caching: { etagOf: () => tag } }), call, answer);
    }),
    async shows({ cora }) {
      const path = '/api/admin/externalEndpoint';
      const endpoint = { id: 'hook', method: 'POST', category: 'c', url: 'http://127.0.0.1:9/a' };
      const headers = [{ name: 'content-type', value: 'application/json' }];
      await cora.post(path, { ...endpoint, headers });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(`${path}/hook`, undefined, { ...endpoint, headers, category: 'd' });
      return (await cora.get(path, { 'if-none-match': tag })).status === 304;
    },
  },
  'caching.tag-after-a-refused-change': {
    source: 'core: Versioning 4',
    breaks: 'Data that nobody has changed answers 304, also when a change of it was refused meanwhile.',
    variant: tagOfChangesAsked(),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 5 });
      return (await cora.get(path, { 'If-None-Match': tag })).status !== 304;
    },
  },
  'caching.readers-get-it-all-again': {
    source: 'core: Versioning 4',
    breaks: 'Unchanged data give 304 to everybody who sends their tag, also to who may do nothing but read.',
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
};

function inAnyOrder(object: Json): Json {
  const members = Object.entries(object);
  const first = Math.floor(Math.random() * members.length);
  return Object.fromEntries([...members.slice(first), ...members.slice(0, first)]);
}

function otherCase(text: string): string {
  return [...text]
    .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
}

/** An ETag counts the changes that were asked for at the address. */
function tagOfChangesAsked(): Variant {
  return (classes) => {
    const asked = new Map<string, number>();
    let count = 0;
    return together(
      replaces('messages', 'jsonBodyOf', (right, areas, call) => {
        asked.set(call.url, (asked.get(call.url) ?? 0) + 1);
        return right(areas, call);
      }),
      replaces('caching', 'conditional', (right, areas, call, answer) => {
        count = asked.get(call.url) ?? 0;
        return right(areas, call, answer);
      }),
      replaces('caching', 'etagOf', (right, areas, representation) =>
        right(areas, count === 0 ? representation : `${count} ${representation.toString()}`),
      ),
    )(classes);
  };
}

function mayWrite({ auth }: Areas, call: Call & { readonly user?: unknown; readonly space?: unknown }): boolean {
  return auth.mayUse(call.user as User, call.space as Space, 'PUT');
}

function heldTagOpens(): Variant {
  const tagsIn = perServer(() => new Map<string, string>());
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const tags = tagsIn(areas);
    if (route.effect !== 'read') tags.clear();
    const tag = tags.get(call.url);
    if (route.method === 'GET' && tag !== undefined && call.headers['if-none-match'] === tag) {
      await areas.auth.authenticate(call);
      return { status: 304, headers: { ETag: tag } };
    }
    const answer = await right(areas, route, call);
    const fresh = answer.headers?.['ETag'];
    if (fresh !== undefined) tags.set(call.url, fresh);
    return answer;
  });
}
