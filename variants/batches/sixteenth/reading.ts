import { entriesPerPage } from '../../../contract/limits.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** How long an ETag stays the same, in ms. */
const tagPeriodMs = 600_000;

export const readingMistakes: Batch = {
  'paging.rounded-pages': {
    source: 'core: Server side paging 4',
    breaks: 'A rest of entries has a page of its own, also when it is less than half of one.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.max(1, Math.round(total / entriesPerPage))),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'rest', contacts: named(13) });
      const page = listAt(await edda.read(made), '/links').find((link) => at(link, '/rel') === 'page');
      return at(page, '/pages') !== 2;
    },
  },

  'caching.tag-with-the-time': {
    source: 'core: Errors',
    breaks: 'Data that has not changed gives 304 to whoever holds its ETag, however long ago it was given.',
    kind: 'moment',
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

  'openapi.types-without-a-process': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition is of all configured SoftTypes, those without maturity included.',
    kind: 'value',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const softTypes = new Map([...space.template.softTypes].filter(([, { maturity }]) => maturity !== undefined));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { text } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !text.includes('/Requirement/');
    },
  },

  'tokens.fields-in-order': {
    source: 'core: Authentication 3',
    breaks: 'A grant is asked for by the fields of a form, in whichever order they come.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const form = right(areas, call);
      if (form.keys().next().value === 'grant_type') return form;
      throw new Refusal(400, 'Expected grant_type first.');
    }),
    async shows({ nobody }) {
      const body = 'username=edda&password=edda-password&scope=All&grant_type=password';
      const answer = await nobody.post('/auth/token', body, {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      return at(answer.json, '/access_token') === undefined;
    },
  },
};
