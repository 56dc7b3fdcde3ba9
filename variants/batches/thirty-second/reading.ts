import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, many, movePath } from '../service.ts';

const dynamicPath = '/space/main/SoftType/dynamic/softtype.openApi';

/** What is read is what was stored, where it is said to be. */
export const readingMistakes: Batch = {
  'reading.the-text-null-is-no-value': {
    source: 'core: SoftType read response',
    breaks: 'The text of four letters that spells null is a value like any other.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== 'null')) as typeof data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'null' });
      return at(await edda.read(made), '/data/note') !== 'null';
    },
  },
  'reading.demoted-has-the-id-of-its-state': {
    source: 'core: System properties inside data',
    breaks: 'The identifier in the data is that of the object, after a demote as before.',
    kind: 'moment',
    variant: together(
      replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
        const { $demoted: _former, ...next } = right(areas, content, level, state);
        const $demoted = at(next, `/$states/${level}/$oid`);
        return state === 'draft' || state === 'open' ? { ...next, $demoted } : next;
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const { $demoted } = object.content;
        return { ...right(areas, object), ...(typeof $demoted === 'string' && { $oid: $demoted }) };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.put(movePath(made, 'demote'), 2);
      return at(await edda.read(made), '/data/$oid') !== made.oid;
    },
  },
  'paging.an-empty-entry-has-no-id': {
    source: 'core: Page response',
    breaks: 'Each entry of a page has its id, also one without any other member.',
    kind: 'value',
    variant: replaces(
      'paging',
      'assemblePage',
      async (right, areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const data = body.data.map((entry) => (Object.keys(entry).length === 1 ? {} : entry));
        return { ...body, data: data as typeof body.data };
      },
    ),
    async shows({ edda }) {
      const contacts = many(11, (number) => (number === 11 ? {} : { name: 'n' }));
      const made = await edda.make('Document', { title: 't', contacts });
      return at((await edda.page(made, 'contacts', 1)).json, '/data/0/$entryId') === undefined;
    },
  },
  'openapi.the-first-to-ask-misses-a-definition': {
    source: 'core: What the service does',
    breaks: 'The dynamic definitions are those of all configured SoftTypes, from the first request on.',
    kind: 'moment',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let isFirst = true;
      return (areas, call) => {
        if (!isFirst) return right(areas, call);
        isFirst = false;
        const { template } = call.space;
        const softTypes = new Map([...template.softTypes].slice(0, -1));
        return right(areas, { ...call, space: { ...call.space, template: { ...template, softTypes } } });
      };
    }),
    async shows({ edda }) {
      return !(await edda.get(dynamicPath)).text.includes('changeRequestInput');
    },
  },
};
