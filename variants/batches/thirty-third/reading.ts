import { createHmac } from 'node:crypto';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named, tokenOf } from '../proofs.ts';
import { at, listAt } from '../service.ts';

const profilePath = '/api/collection/user/profile';

export const readingMistakes: Batch = {
  'tokens.administrators-under-another-hash': {
    source: 'core: Authentication 2',
    breaks: 'The token of anybody is signed with HMAC SHA512, that of a Collection Administrator too.',
    kind: 'role',
    variant: together(
      replaces('tokens', 'signClaims', async (right, areas, claims) => {
        const user = areas.configuration.users.get(claims.sub ?? '');
        if (user?.collectionAdministrator !== true) return right(areas, claims);
        const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.');
        const key = areas.tokens.signingKeysOf().access;
        return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
      }),
      replaces('tokens', 'acceptedAlgorithms', () => ['HS512', 'HS256']),
    ),
    async shows(service) {
      const [header = ''] = (await tokenOf(service, 'cora')).split('.');
      return at(JSON.parse(Buffer.from(header, 'base64url').toString()), '/alg') !== 'HS512';
    },
  },

  'tokens.form-left-encoded': {
    source: 'core: Authentication 3',
    breaks: 'The fields of a grant are form fields, whose characters may be percent-encoded, those of a password too.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const form = new Map(right(areas, call));
      const raw = /(?:^|&)password=([^&]*)/.exec(call.body?.toString() ?? '')?.[1];
      if (raw !== undefined) form.set('password', raw);
      return form;
    }),
    async shows({ nobody }) {
      const form = 'grant_type=password&username=edda&password=edda%2Dpassword&scope=All';
      const answer = await nobody.post('/auth/token', form, {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      return answer.status !== 200;
    },
  },

  'openapi.last-type-left-out': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition covers all configured SoftTypes, the last one too.',
    kind: 'place',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const { template } = space;
      const softTypes = new Map([...template.softTypes].slice(0, Math.max(1, template.softTypes.size - 1)));
      return right(areas, { ...space, template: { ...template, softTypes } });
    }),
    async shows({ edda }) {
      return !(await edda.get('/space/main/SoftType/dynamic/softtype.openApi')).text.includes('ChangeRequest/');
    },
  },

  'paging.links-of-all-in-a-batch': {
    source: 'core: Server side paging 5',
    breaks: 'The filter shapes the links too, also in a read that is an operation of a batch.',
    kind: 'place',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      const slice = await right(areas, reading, object, section, filter);
      if (!('insertObject' in reading) || filter === undefined) return slice;
      return { ...slice, total: await areas.entries.totalOf(reading, object, section) };
    }),
    async shows({ edda }) {
      const drawings = named(12).map((file) => ({ ...file, category: 'drawing' }));
      const made = await edda.make('Document', { title: 't', files: [...drawings, ...named(12)] });
      const batch = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      const links = listAt(batch.json, '/0/body/links');
      return (
        at(
          links.find((link) => at(link, '/rel') === 'page'),
          '/totalNumber',
        ) !== 12
      );
    },
  },

  'paging.value-decoded-twice': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is what the query says, also where it has a plus sign in it.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      return applied && { ...applied, value: applied.value.replaceAll('+', ' ') };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'a+b' }] });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a%2Bb');
      return listAt(read, '/data/files').length === 0;
    },
  },

  'paging.version-of-the-first-page': {
    source: 'core: Page response, version',
    breaks: 'A page tells the version that its object is at, whatever it was at when an earlier page was read.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const versions = new Map<string, number>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        if (page === 0) versions.set(object.oid, body.version);
        return { ...body, version: versions.get(object.oid) ?? body.version };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.page(made, 'files', 0);
      await edda.merge(made, 1, { note: 'n' });
      return at((await edda.page(made, 'files', 1)).json, '/version') !== 2;
    },
  },

  'paging.counts-to-a-hundred': {
    source: 'core: Link object, totalNumber',
    breaks: 'The link tells how many entries there are, beyond a hundred too.',
    kind: 'value',
    variant: replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) =>
      Math.min(100, await right(areas, reading, object, section, filter)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(105) });
      const links = listAt(await edda.read(made), '/links');
      return (
        at(
          links.find((link) => at(link, '/rel') === 'page'),
          '/totalNumber',
        ) !== 105
      );
    },
  },

  'caching.tag-once-for-each': {
    source: 'core: Common request headers, ETag',
    breaks: 'ETag is returned on each GET of such data, also on the second one by the same user.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      const told = new Set<string>();
      return (areas, call, answer) => {
        const { headers: { ETag: tag = '', ...others } = {}, ...rest } = right(areas, call, answer);
        const key = `${call.headers['authorization']} ${call.url} ${tag}`;
        const isTold = told.has(key) && call.headers['if-none-match'] === undefined;
        told.add(key);
        return { ...rest, headers: isTold ? others : { ...others, ETag: tag } };
      };
    }),
    async shows({ cora }) {
      await cora.get(profilePath);
      return (await cora.get(profilePath)).headers.get('etag') === null;
    },
  },
};
