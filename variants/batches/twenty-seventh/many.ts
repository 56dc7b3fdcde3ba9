import { isContent } from '../../../reference-server/areas/content.ts';
import { headerNames } from '../../../contract/names.ts';
import { Undone } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import { mapped } from '../../dialect/choice.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

const createHref = '/api/space/main/softtype/Document/documentInput';

/** Many operations by one request. */
export const batchMistakes: Batch = {
  'batch.more-than-a-hundred': {
    source: 'core: Limits, text below',
    breaks: 'A batch has no hard limit: a hundred operations are a guideline.',
    kind: 'value',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      if (call.json.length <= 100) return right(areas, call, writing, table);
      throw new Undone({ status: 413, body: [] });
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      return (await edda.batch(many(101, () => ({ method: 'GET', href: made.path })))).status !== 200;
    },
  },

  'batch.equal-reads-are-one': {
    source: 'core: Batch operation, row method',
    breaks: 'Each GET has a result of its own, also one that asks for what another has asked for.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const texts = results.map((result) => JSON.stringify(result));
      return right(
        areas,
        results.filter(({ statusCode }, index) => statusCode !== 200 || texts.indexOf(texts[index] ?? '') === index),
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const results = await edda.batch(many(2, () => ({ method: 'GET', href: made.path })));
      return listAt(results.json, '').length !== 2;
    },
  },

  'batch.create-with-what-the-one-before-had': {
    source: 'core: Batch rules 5',
    breaks: 'A POST creates what its own payload holds, also behind another one of the same batch.',
    kind: 'copy',
    variant: breaks('contents', 'contentFrom', (right) => {
      let last: { batch: string; type: string; content: Readonly<Record<string, unknown>> } | undefined;
      return (areas, call, softType, view, body) => {
        const input = right(areas, call, softType, view, body);
        if (!('isSibling' in call) || call.method !== 'POST') return input;
        const isNext = last?.batch === call.correlationId && last.type === softType.id;
        const content = isNext ? { ...last?.content, ...input.content } : input.content;
        last = { batch: call.correlationId, type: softType.id, content };
        return { ...input, content };
      };
    }),
    async shows({ edda }) {
      const bodies = [{ title: 'a', note: 'n' }, { title: 'b' }];
      const results = await edda.batch(bodies.map((body) => ({ method: 'POST', href: createHref, body })));
      const read = await edda.get(String(at(results.json, '/1/body/href')));
      return at(read.json, '/data/note') !== undefined;
    },
  },

  'batch.promote-without-its-new-version': {
    source: 'core: Endpoint table, PUT promote',
    breaks: 'A promote tells the new version, also as an operation of a batch.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const sent = Number(call.headers[headerNames.version.toLowerCase()]);
      return call.url.includes('/promote/') && isContent(body) ? { ...body, version: sent } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/maturityAction/promote/${made.oid}/release/engineering`;
      const results = await edda.batch([{ method: 'PUT', href, headers: { [headerNames.version]: '1' } }]);
      return at(results.json, '/0/body/version') !== 2;
    },
  },

  'batch.page-number-filled-in': {
    source: 'core: Link object, row href',
    breaks: 'The link to the pages of an array holds the template for the number, also in a read inside a batch.',
    kind: 'combination',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const { body, ...result } = right(areas, call, answer);
      const filled = mapped(body, (object) =>
        object['rel'] === 'page' ? { ...object, href: String(object['href']).replace('{pageNumber}', '0') } : object,
      );
      return body === undefined ? result : { ...result, body: filled };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const results = await edda.batch([{ method: 'GET', href: made.path }]);
      return !results.text.includes('{pageNumber}');
    },
  },
};

/** Many objects by one request. */
export const multiCreateMistakes: Batch = {
  'multi-create.answers-no-reference-back': {
    source: 'core: Endpoint table, POST softtype list',
    breaks: 'All items are created with what they hold, also where two of them refer to each other.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const targets = inputs.map(({ arrays }) => new Set([...arrays.values()].flat().map(targetOf)));
      const cut = inputs.map((input, index) => ({
        ...input,
        arrays: new Map(
          [...input.arrays].map(([port, entries]) => [
            port,
            entries.filter((entry) => {
              const other = items.findIndex(({ oid }) => oid === targetOf(entry));
              return other < 0 || other >= index || targets[other]?.has(items[index]?.oid) !== true;
            }),
          ]),
        ),
      }));
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('p', 'Part')] } },
        { $id: 'p', $softType: 'Part', data: { name: 'n', describedBy: [reference('d', 'Document')] } },
      ]);
      return listAt((await edda.get(String(at(made.json, '/1/href')))).json, '/data/describedBy').length !== 1;
    },
  },
};

function targetOf({ content }: { readonly content: object }): unknown {
  return at(content, '/value/$oid');
}

function reference(instanceRef: string, softTypeId: string): object {
  return { id: instanceRef, value: { instanceRef, softTypeId } };
}
