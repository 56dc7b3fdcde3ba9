import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, versionHeader } from '../service.ts';

export const objectMistakes: Batch = {
  'reading.no-ids-behind-a-write': {
    source: 'core: System properties inside data, $entryId',
    breaks: 'An entry that is read has its id, also by the batch that has just written its object.',
    kind: 'moment',
    variant: replaces('instances', 'readInstance', async (right, areas, call, reading) => {
      const answer = await right(areas, call, reading);
      const data = at(answer.body, '/data');
      if (call.isChangedHere?.(call.object.oid) !== true || typeof data !== 'object') return answer;
      return { ...answer, body: { ...(answer.body as object), data: withoutIds(data) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n' }] });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } };
      const answer = await edda.batch([edit, { method: 'GET', href: made.path }]);
      return answer.status === 200 && at(answer.json, '/1/body/data/files/0/$entryId') === undefined;
    },
  },

  'reading.template-is-encoded-from-memory': {
    source: 'core: Link object, href',
    breaks: 'A page link has the template of its number, in the second read of a version as well.',
    kind: 'moment',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const seen = new Set<string>();
      return async (areas, call, reading, object, view, assemble) => {
        const answer = await right(areas, call, reading, object, view, assemble);
        const key = `${object.oid} ${object.version} ${view.id}`;
        if (seen.has(key) && typeof answer.raw === 'string')
          return { ...answer, raw: answer.raw.replaceAll('{pageNumber}', '%7BpageNumber%7D') };
        seen.add(key);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.get(made.path);
      return !(await edda.get(made.path)).text.includes('{pageNumber}');
    },
  },

  'editing.put-by-another-schema-tells-the-old': {
    source: 'core: Common request headers, Svc-UOIVersion in responses',
    breaks: 'A PUT is answered with the new version, by whichever input schema it comes.',
    kind: 'combination',
    variant: replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const isFirst = call.place.softType.inputs.values().next().value === call.place.view;
      return isFirst ? answer : { ...answer, headers: { ...answer.headers, ...versionHeader(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.put(editPath(made).replace('documentInput', 'documentBrief'), 1, { title: 'u' });
      return answer.headers.get('svc-uoiversion') !== '2';
    },
  },

  'editing.put-leaves-what-is-nothing': {
    source: 'core: Endpoint table, PUT',
    breaks:
      'A field that the body of a PUT leaves out is removed, also one with zero, false or a text without characters.',
    kind: 'value',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const nothing = Object.entries(old).filter(([, value]) => value === 0 || value === false || value === '');
      return { ...Object.fromEntries(nothing), ...right(areas, old, given) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', confidential: false });
      await edda.replace(made, 1, { title: 'u' });
      return at(await edda.read(made), '/data/confidential') === false;
    },
  },

  'versioning.who-insists-gets-through': {
    source: 'core: Errors 409',
    breaks: 'A version that is not that of the object is refused, when it is sent for the second time too.',
    kind: 'moment',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const refused = new Set<string>();
      return (areas, call, object) => {
        const key = `${object.oid} ${object.version} ${call.headers['svc-uoiversion']} ${call.method}`;
        if (refused.has(key)) return object.version;
        try {
          return right(areas, call, object);
        } catch (error) {
          if (call.headers['svc-uoiversion'] !== undefined) refused.add(key);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'a' });
      await edda.merge(made, 1, { note: 'b' });
      return (await edda.merge(made, 1, { note: 'b' })).status === 204;
    },
  },

  'paging.references-have-one-more-page': {
    source: 'core: Limits, entries per array in a read',
    breaks: 'A page holds no more than ten entries, one of references as well.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', (right, areas, call, reading, object, view, section, page, filter) => {
      const whole = within(areas, {
        paging: { pageRange: (number) => ({ from: number * 10, to: number * 10 + 1000 }) },
      });
      const isWhole = section.member.kind === 'references' && page > 0;
      return right(isWhole ? whole : areas, call, reading, object, view, section, page, filter);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'n' });
      const describes = many(21, () => ({ value: { $oid: part.oid } }));
      const made = await edda.make('Document', { title: 't', describes });
      return listAt((await edda.page(made, 'describes', 1)).json, '/data').length > 10;
    },
  },
};

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== '$entryId');
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutIds(inner)]));
}
