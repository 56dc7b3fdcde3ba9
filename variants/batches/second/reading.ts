import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.version-of-unchanged-view': {
    source: 'core: SoftType read response',
    breaks:
      'A read shows the version that the object has now, also when nothing that its output schema shows has changed.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, { readonly content: string; readonly answer: Answer }>();
      return async (areas, call, reading, object, view, assemble) => {
        if (view === areas.objects.viewOfRead({ ...call, params: {} }, object).view)
          return right(areas, call, reading, object, view, assemble);
        const body = await assemble();
        const key = `${object.oid} ${view.id} ${areas.memory.rightsOf(call)}`;
        const content = JSON.stringify({ ...body.data, $version: 0 });
        const known = kept.get(key);
        if (known?.content === content) return known.answer;
        const answer = { status: 200, body };
        kept.set(key, { content, answer });
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'card', remark: 'seen' });
      const path = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      await edda.get(path);
      await edda.merge(made, 1, { note: 'not on the card' });
      return at((await edda.get(path)).json, '/version') !== 2;
    },
  },

  'reading.keywords-as-set': {
    source: 'core: SoftType read response',
    breaks:
      'The data of a read is the content of the instance: a list of plain values that holds one twice holds it twice.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      const input = right(areas, rules, softType, view, body);
      const pairs = Object.entries(input.content).map(([name, value]) => [
        name,
        Array.isArray(value) ? [...new Set<unknown>(value)] : value,
      ]);
      return { ...input, content: Object.fromEntries(pairs) as typeof input.content };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'score', keywords: ['do', 're', 'do'] });
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },

  'reading.links-for-readers': {
    source: 'core: What the service does',
    breaks: 'The links of a read are those that the current user may follow, under every output schema.',
    kind: 'role',
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
};
