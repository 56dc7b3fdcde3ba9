import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, named, registerEndpoint } from '../proofs.ts';
import { at, pagePath } from '../service.ts';
import type { SoftType } from '../../../reference-server/configuration.ts';
import { deliveryMistakes, tokenIn } from './calls.ts';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { firstFile, readingMistakes } from './reading.ts';

const filterName = 'svc-informationfilter';

const accessMistakes: Batch = {
  'headers.filter-of-a-page': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required for a page as for the instance.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers[filterName] === undefined && call.url.includes('/softtype/page/') ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1) });
      return (await edda.get(pagePath(made, 'files', 0), { [filterName]: '' })).status === 200;
    },
  },
};

const multiCreateMistakes: Batch = {
  'multi-create.type-of-an-id-before': {
    source: 'core: Multi-create item, $softType',
    breaks: 'An item is of the SoftType that it names, whatever had its id in an earlier request.',
    kind: 'copy',
    variant: breaks('multiCreate', 'identifyItems', (right) => {
      const types = new Map<string, SoftType>();
      return (areas, items) =>
        right(
          areas,
          items.map((item) => {
            const softType = types.get(item.$id ?? '') ?? item.softType;
            if (item.$id !== undefined) types.set(item.$id, softType);
            return { ...item, softType };
          }),
        );
    }),
    async shows({ edda }) {
      await edda.multiCreate([{ $id: 'a', $softType: 'Part', data: { name: 'part' } }]);
      return (await edda.multiCreate([{ $id: 'a', $softType: 'Document', data: { title: 't' } }])).status >= 400;
    },
  },
};

const registeredMistakes: Batch = {
  'endpoints.token-of-the-first-user': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token of a call to an endpoint speaks for the user who triggered it, whoever came before.',
    kind: 'role',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const urls = new Map<string, ReturnType<typeof right>>();
      return (areas, delivery, callee) => {
        const url = urls.get(callee.endpoint.url) ?? right(areas, delivery, callee);
        urls.set(callee.endpoint.url, url);
        return url;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook?a=b` });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      await service.emil.sendToEndpoint();
      await service.pass(1);
      return at(tokenIn(callsTo(host)[1]), '/sub') === 'edda';
    },
  },
};

const writingMistakes: Batch = {
  'maturity.header-of-a-demote': {
    source: 'core: Common request headers',
    breaks: 'A demote answers with the new version, as a promote does.',
    kind: 'place',
    variant: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.move(made, 2, 'demote')).headers.get(headerNames.version) !== '3';
    },
  },

  'operations.path-before-op': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation may stand in any order.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (isContent(item) && Object.keys(item).at(-1) === 'op') throw new Refusal(400, 'An operation begins with op.');
      return right(areas, item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ path: '/note', op: 'remove' }])).status >= 400;
    },
  },

  'operations.later-entries-by-place': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path names an entry by its id, also one beyond the first ten, with one before it gone.',
    kind: 'combination',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const place = Number(token);
      if (!(place > 10)) return right(areas, run, port, token);
      const [entry] = await run.writing.entries(run.object.oid, port, { from: place - 1, to: place });
      return entry;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await firstFile(edda, made)}/` }]);
      const last = String(at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId'));
      return (await edda.operate(made, 2, [{ op: 'replace', path: `/files/${last}/name`, value: 'x' }])).status >= 400;
    },
  },
};

/** Of sixty mistakes in sentences that were drawn by lot from both documents, many of them in what is true the second time only. */
export const twentyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...multiCreateMistakes,
  ...accessMistakes,
  ...registeredMistakes,
  ...deliveryMistakes,
};
