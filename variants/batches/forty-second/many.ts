import { headerNames } from '../../../contract/names.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, type Made } from '../service.ts';

export const manyMistakes: Batch = {
  'batch.query-decoded-before-it-is-read': {
    source: 'core: Batch operation, row href',
    breaks: 'An href is the URI of a request, also where a value of its query holds an ampersand.',
    kind: 'combination',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const [path = '', query] = (right(areas, batch, href) ?? '').split('?');
      return query === undefined ? right(areas, batch, href) : `${path}?${decoded(query)}`;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'c&d' }] });
      const href = `${made.path}?softTypeFilterId=byCategory&fileGroup.category=c%26d`;
      const { json } = await edda.batch([{ method: 'GET', href }]);
      return listAt(json, '/0/body/data/files').length === 0;
    },
  },

  'batch.version-header-in-lower-case': {
    source: 'core: Batch operation, row headers',
    breaks: 'The name of a header has no letter case, also inside an operation.',
    kind: 'place',
    survives:
      'core: Batch operation, row headers: a member of a JSON object is named there as the document spells it; that other spellings are known is not said.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const { [headerNames.version.toLowerCase()]: _lost, ...headers } = operation.headers;
      return right(areas, batch, { ...operation, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { ...edit(made, 1), headers: { 'svc-uoiversion': '1' } };
      return (await edda.batch([operation])).status !== 200;
    },
  },

  'batch.reads-of-an-earlier-batch': {
    source: 'core: Batch rules 5',
    breaks: 'A read retrieves what is there, also in a batch that was sent before.',
    kind: 'copy',
    variant: breaks('batch', 'runBatch', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, writing, table) => {
        const reads = call.json.length > 1 && call.json.every((operation) => at(operation, '/method') === 'GET');
        const key = `${call.user.name} ${JSON.stringify(call.json)}`;
        const answer = (reads ? known.get(key) : undefined) ?? (await right(areas, call, writing, table));
        if (reads) known.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'old' });
      const reads = [1, 2].map(() => ({ method: 'GET', href: made.path }));
      await edda.batch(reads);
      await edda.merge(made, 1, { title: 'new' });
      return at((await edda.batch(reads)).json, '/0/body/data/title') === 'old';
    },
  },

  'batch.reads-without-page-links': {
    source: 'core: Batch rules 6; Server side paging 2',
    breaks: 'A read in a batch gives the full response, the links to further pages included.',
    kind: 'value',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...rest) =>
      right(areas, call, ...rest).filter(({ rel }) => call.isSibling === undefined || rel !== 'page'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const { json } = await edda.batch([{ method: 'GET', href: made.path }]);
      return !listAt(json, '/0/body/links').some((link) => at(link, '/rel') === 'page');
    },
  },
};

function decoded(query: string): string {
  try {
    return decodeURIComponent(query);
  } catch {
    return query;
  }
}

function edit(made: Made, version: number): object {
  const headers = { 'Svc-UOIVersion': String(version) };
  return { method: 'PATCH', href: editPath(made), headers, body: { note: `v${version}` } };
}
