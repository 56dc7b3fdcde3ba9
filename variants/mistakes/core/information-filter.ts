import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, encoded, pagePath } from '../service.ts';
import { changes, isRefusal, perServer } from '../variant-parts.ts';

/** Longest header that a column of the table takes. */
const longestFilter = 255;

/** Bytes in place of which Base64 has a plus sign, wherever they stand. */
const filterWithPlus = encoded({ role: '>>>>>>' });

const filterName = 'svc-informationfilter';

const pagesUnderFilters = perServer(() => new Map<string, Answer>());

export const informationFilterMistakes: Mistakes = {
  'filter.missing-deletes-all-the-same': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'A deletion without the information filter is refused, and the object stays.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isMeant = route.method === 'DELETE' && call.headers[filterName] === undefined;
        const headers = { ...call.headers, [filterName]: encoded({}) };
        if (isMeant && isRefusal(error, 400)) await right(areas, route, { ...call, headers });
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.delete(made.path, { [headerNames.informationFilter]: '' });
      return (await edda.get(made.path)).status === 404;
    },
  },
  'filter.time-as-its-first-member': {
    source: 'core: Information filter',
    breaks: 'The information filter is a JSON object, whose members come in any order.',
    variant: changes('messages', 'informationFilterOf', ({ time, ...filter }, _areas, call) => {
      const text = Buffer.from(call.headers['svc-informationfilter'] ?? '', 'base64').toString();
      return time !== undefined && /^\s*\{\s*"time"/.test(text) ? { time, ...filter } : filter;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '1' });
      const time = '2019-03-04T01:00:00Z';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '2' }], { role: 'r', time });
      return at(await edda.read(made), '/data/price/effectivity') !== time;
    },
  },
  'filter.blank-ahead-of-the-object': {
    source: 'core: Information filter',
    breaks: 'The filter is a JSON object however JSON may be written, with a line end before it as well.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const text = Buffer.from(call.headers['svc-informationfilter'] ?? '', 'base64').toString();
      if (/^\s/.test(text)) throw new Refusal(400, 'Expected an object as information filter.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'filter' });
      const filter = Buffer.from('\n{ "time": "2020-01-01T00:00:00Z" }').toString('base64');
      return (await edda.get(made.path, { 'Svc-InformationFilter': filter })).status === 400;
    },
  },
  'filter.plus-sign-on-page-routes': {
    source: 'core: Information filter',
    breaks: 'The information filter of a page is Base64 like any other, plus signs included.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const header = call.headers['svc-informationfilter'];
      if (header === undefined || !call.url.includes('/softtype/page/')) return right(areas, call);
      return right(areas, {
        ...call,
        headers: { ...call.headers, 'svc-informationfilter': header.replaceAll('+', ' ') },
      });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      const page = await edda.get(pagePath(made, 'files', 0), { 'Svc-InformationFilter': filterWithPlus });
      return page.status !== 200;
    },
  },
  'headers.filter-of-256-characters': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'An information filter is taken, also where its Base64 is longer than 255 characters.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      if ((call.headers['svc-informationfilter']?.length ?? 0) > longestFilter)
        throw new Refusal(400, `Expected an information filter of at most ${longestFilter} characters.`);
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const filter = encoded({ time: '2020-01-02T03:04:05Z', role: 'r'.repeat(200) });
      return (await edda.get(made.path, { 'Svc-InformationFilter': filter })).status !== 200;
    },
  },
  'paging.no-filter-beside-a-filter': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required on a page, on one of a filtered array too.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers['svc-informationfilter'] === undefined && call.query.has('softTypeFilter') ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const path = pagePath(await edda.make('Document'), 'files', 0);
      return (await edda.get(`${path}?softTypeFilter=drawings`, { 'Svc-InformationFilter': '' })).status === 200;
    },
  },
  'information-filter.not-behind-a-write': {
    source: 'core: Common request headers, row Svc-InformationFilter',
    breaks: 'A request on a route of a space needs a filter, also right behind a write that had one.',
    variant: breaks('messages', 'informationFilterOf', (right) => {
      let former: { readonly user: string | undefined; readonly at: number } | undefined;
      return (areas, call) => {
        const user = call.headers['authorization'];
        const isMissing = call.headers['svc-informationfilter'] === undefined;
        const isBehind = former !== undefined && former.user === user && areas.clock.now() - former.at < 1000;
        if (isMissing && call.method === 'GET' && isBehind) return {};
        const filter = right(areas, call);
        former = call.method === 'GET' ? former : { user, at: areas.clock.now() };
        return filter;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const read = await edda.get(made.path, { 'Svc-InformationFilter': '' });
      return read.status === 200;
    },
  },
  'information-filter.readers-need-none': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required of everybody, also of those who may only read.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const { user, space } = call as Partial<Parameters<typeof areas.instances.readInstance>[0]>;
      const isMissing = call.headers[headerNames.informationFilter.toLowerCase()] === undefined;
      if (isMissing && user && space && !areas.auth.mayUse(user, space, 'PUT')) return {};
      return right(areas, call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      return (await rita.get(made.path, { [headerNames.informationFilter]: '' })).status === 200;
    },
  },
  'headers.filter-of-a-page': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required for a page as for the instance.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers[filterName] === undefined && call.url.includes('/softtype/page/') ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(1) });
      return (await edda.get(pagePath(made, 'files', 0), { [filterName]: '' })).status === 200;
    },
  },
  'information-filter.pages-kept-by-filter': {
    source: 'core: Information filter; Versioning',
    breaks:
      'A page that was read under an information filter reads as it is now when it is asked for under the same one again.',
    variant: replaces('dispatcher', 'carryOutRead', async (right, areas, route, call, reading) => {
      const { [filterName]: filter = '' } = call.headers;
      if (route.path !== routes.page || filter.length <= encoded({}).length) return right(areas, route, call, reading);
      const key = `${filter} ${call.url}`;
      const answer = pagesUnderFilters(areas).get(key) ?? (await right(areas, route, call, reading));
      pagesUnderFilters(areas).set(key, answer);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'one' }] });
      const filter = { [headerNames.informationFilter]: encoded({ time: '2031-01-01T00:00:00Z' }) };
      await edda.get(pagePath(made, 'files', 0), filter);
      await edda.merge(made, 1, { title: 'filter' });
      return at((await edda.get(pagePath(made, 'files', 0), filter)).json, '/version') === 1;
    },
  },
};
