import { isDeepStrictEqual } from 'node:util';
import { headerNames } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const writingMistakes: Batch = {
  'create.location-of-a-brief-one': {
    source: 'core: Common request headers',
    breaks: 'A 201 has a Location, whichever input schema the content came under.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const { headers, ...answer } = await right(areas, call, writing);
      const { Location: location = '', ...others } = headers ?? {};
      const isDefault = call.place.softType.inputs.keys().next().value === call.params['inputSchemaId'];
      return { ...answer, headers: isDefault ? { ...others, Location: location } : others };
    }),
    async shows({ edda }) {
      const answer = await edda.post('/api/space/main/softtype/Part/partBrief', { name: 'brief' });
      return answer.headers.get('location') === null;
    },
  },

  'create.quoted-version': {
    source: 'core: Errors',
    breaks: 'The version header of a 201 holds the version, which is an integer.',
    kind: 'value',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: '"1"' } };
    }),
    async shows({ edda }) {
      const answer = await edda.post('/api/space/main/softtype/Part/partInput', { name: 'part' });
      return answer.headers.get(headerNames.version) !== '1';
    },
  },

  'versioning.put-of-what-is-there': {
    source: 'core: Errors',
    breaks: 'Another version than that of the server is a conflict, also when the content is what is there already.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      if (call.method !== 'PUT' || call.body === undefined || call.headers['svc-uoiversion'] === undefined)
        return right(areas, call, object);
      const given = Object.entries(JSON.parse(call.body.toString()) as object);
      const isThere = given.every(([name, value]) => isDeepStrictEqual(object.content[name], value));
      return isThere ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice', note: 'gone' });
      await edda.replace(made, 1, { title: 'twice' });
      return (await edda.replace(made, 1, { title: 'twice' })).status !== 409;
    },
  },

  'versioning.edit-of-an-entry': {
    source: 'core: Endpoint table',
    breaks: 'An operations PATCH makes a new version, also when it touches nothing but what is inside an entry.',
    kind: 'place',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const isDeep = operations.every((operation) => listAt(operation, '/tokens').length > 2);
      return isDeep ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entry', files: [{ name: 'one' }] });
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/name', value: 'two' }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },

  'operations.position-where-no-id-is': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A number in a path is the id of an entry and never a position, also when no entry has that id.',
    kind: 'moment',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      if (entry !== undefined || !/^\d{1,3}$/.test(token)) return entry;
      const from = Number(token);
      const [other] = await run.writing.entries(run.object.oid, port, { from, to: from + 1 });
      return other;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'position', files: named(4) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      return (await edda.operate(made, 2, [{ op: 'remove', path: '/files/1/' }])).status < 400;
    },
  },

  'operations.entries-of-the-first-page': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry is addressed by its id, on whichever page it is.',
    kind: 'place',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      const shown = await run.writing.entries(run.object.oid, port, { from: 0, to: 10 });
      return shown.some(({ entryId }) => entryId === entry?.entryId) ? entry : undefined;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'second page', files: named(11) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/11/name', value: 'x' }])).status >= 400;
    },
  },

  'operations.slash-behind-a-nested-entry': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'An entry is removed by its path with a slash behind it, an entry inside an entry as well.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', (right, areas, run, operation, pointer) => {
      if (operation.op === 'remove' && operation.tokens.length > 3 && operation.tokens.at(-1) === '')
        throw new Refusal(422, 'No member has an empty name.');
      return right(areas, run, operation, pointer);
    }),
    async shows({ edda }) {
      const files = [{ name: 'one', revisions: [{ text: 'a' }, { text: 'b' }] }];
      const made = await edda.make('Document', { title: 'nested', files });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }])).status >= 400;
    },
  },

  'operations.add-onto-no': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'To add a member that is there fails, also when what is there is false, zero or an empty text.',
    kind: 'value',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, pointer) => {
      const isFalse = target.kind === 'member' && (target.value === false || target.value === 0 || target.value === '');
      return right(areas, run, isFalse ? { ...target, value: undefined } : target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'false', confidential: false });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/confidential', value: true }])).status < 400;
    },
  },

  'operations.names-of-both-schemas': {
    source: 'core: Patch operation',
    breaks: 'A path leads into the input schema; the name that a member has in the data is none there.',
    kind: 'value',
    variant: replaces('operations', 'pathViewOf', (right, areas, softType) => {
      const view = right(areas, softType);
      const [output] = softType.outputs.values();
      return { ...view, names: new Map([...(output?.names ?? []), ...view.names]) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'label', label: 'old' });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/displayLabel', value: 'new' }])).status < 400;
    },
  },
};
