import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath } from '../service.ts';
import { named } from '../proofs.ts';

export const writing: Batch = {
  'editing.empty-merge-tells-the-former-version': {
    source: 'core: Common request headers',
    breaks: 'The version that an edit answers with is the one that the object has from then on, whatever was edited.',
    kind: 'combination',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, store) => {
      const answer = await right(areas, call, store);
      if (!isContent(call.json) || Object.keys(call.json).length > 0) return answer;
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const { headers } = await edda.merge(made, 1, {});
      return headers.get(headerNames.version) !== String(at(await edda.read(made), '/version'));
    },
  },
  'editing.texts-of-entries-lose-returns': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The text of an entry is kept letter by letter, line ends included.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value);
      const contents = items.map(({ content, ...item }) => ({
        ...item,
        content: Object.fromEntries(Object.entries(content).map(([name, value]) => [name, plain(value)])),
      }));
      return right(areas, contents);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', comment: 'a\r\nb' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== 'a\r\nb';
    },
  },
  'editing.numbers-have-single-precision': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A number is read as it was written, with all digits that JSON numbers commonly have.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, ...rest) => {
      const input = right(areas, rules, softType, ...rest);
      const pairs = Object.entries(input.content).map(([name, value]) => {
        const isNumber = softType.members.get(name)?.kind === 'number' && typeof value === 'number';
        return [name, isNumber ? Math.fround(value) : value] as const;
      });
      return { ...input, content: Object.fromEntries(pairs) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', weight: 0.1 });
      return at(await edda.read(made), '/data/weight') !== 0.1;
    },
  },
  'operations.after-the-fiftieth-are-passed-over': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'All operations of the array are carried out, however many they are.',
    kind: 'value',
    variant: replaces('operations', 'operationsOf', (right, areas, body) =>
      right(areas, Array.isArray(body) ? body.slice(0, 50) : body),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const entries = named(50).map((value) => ({ op: 'add', path: '/contacts/-', value }));
      await edda.operate(made, 1, [...entries, { op: 'add', path: '/note', value: 'n' }]);
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },
  'operations.empty-object-replaces': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An object is no value to replace by, an empty one neither.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const isEmpty = isContent(value) && Object.keys(value).length === 0;
      const isObject = target.kind === 'member' && target.member.kind === 'object' && target.value !== undefined;
      if (isEmpty && isObject) return areas.operations.setMember(run, target, {});
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions', value: {} }])).status < 400;
    },
  },
  'logging.operations-of-a-batch-lose-the-id': {
    source: 'core: Common request headers',
    breaks:
      'The correlation id stands in all log messages of the request, in those about one operation of a batch too.',
    survives: 'How the log of requests is read is not said, so that nobody outside can see what stands in it.',
    kind: 'place',
    variant: replaces('batch', 'runOperation', (right, areas, batch, ...rest) =>
      right(areas, { ...batch, log: areas.log }, ...rest),
    ),
    async shows({ edda, log }) {
      const made = await edda.make('Part', { name: 'p' });
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      await edda.post('/api/space/main/batch', [edit], { [headerNames.correlationId]: 'tenth-log' });
      // a time may hold the same digits
      return !/(?<![\d.])412(?![\d.])/.test(await log('tenth-log'));
    },
  },
};
