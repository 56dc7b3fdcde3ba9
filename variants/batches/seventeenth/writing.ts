import { isContent } from '../../../reference-server/areas/content.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, versionHeader } from '../service.ts';

export const editingMistakes: Batch = {
  'spaces.edit-by-the-id-alone': {
    source: 'core: What the service does',
    breaks: 'A path below a space leads to objects of that space, whoever has a role in it.',
    kind: 'role',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const { objectId = '' } = call.params;
      for (const space of areas.configuration.spaces.values())
        if ((await writing.object(space.id, objectId)) !== undefined)
          return right(areas, route, { ...call, space }, writing);
      return right(areas, route, call, writing);
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Dossier', { title: 't' });
      const path = `/api/space/main/softtype/Dossier/dossierInput/${oid}`;
      const edit = { headers: versionHeader(1), body: { note: 'from main' } };
      return (await service.emil.send('PATCH', path, edit)).status < 400;
    },
  },

  'versioning.empty-edit-of-another-version': {
    source: 'core: Versioning 3',
    breaks: 'Every PATCH is held against the version of the object, also one that brings nothing.',
    kind: 'value',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isEmpty = ['{}', '[]'].includes(call.body?.toString() ?? '');
      const isBare = call.headers['svc-uoiversion'] === undefined;
      return isEmpty && !isBare ? object.version : right(areas, call, object);
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'edited' });
      return (await edda.merge(made, 1, {})).status < 400;
    },
  },

  'put.inner-members-stay': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What a PUT leaves out is removed, inside an object as well.',
    kind: 'place',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const content = Object.entries(right(areas, old, given)).map(([name, value]) => {
        const before = old[name];
        return [name, isContent(value) && isContent(before) ? { ...before, ...value } : value] as const;
      });
      return Object.fromEntries(content);
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1', height: '2' } });
      await edda.replace(made, 1, { title: 't', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },

  'merge.by-a-brief-schema': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves the fields that it does not name, also those that its input schema does not have.',
    kind: 'place',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const known = new Set(call.place.view.names.values());
      const kept = Object.entries(call.object.content).filter(([name]) => name.startsWith('$') || known.has(name));
      return right(areas, { ...call, object: { ...call.object, content: Object.fromEntries(kept) } }, writing);
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', pageCount: 3 });
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers: versionHeader(1), body: { note: 'edited' } });
      return at(await edda.read(made), '/data/pageCount') !== 3;
    },
  },
};

export const operationsMistakes: Batch = {
  'operations.unknown-one-passed-over': {
    source: 'core: Patch operation',
    breaks: 'An operation is add, replace or remove; a list with another one is not carried out.',
    kind: 'value',
    variant: replaces('operations', 'operationsOf', (right, areas, body) => {
      const known = listAt(body, '').filter((item) => ['add', 'replace', 'remove'].includes(String(at(item, '/op'))));
      return right(areas, Array.isArray(body) ? known : body);
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operations = [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'increment', path: '/pageCount', value: 1 },
      ];
      return (await edda.operate(made, 1, operations)).status < 400;
    },
  },

  'operations.whole-document-added': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'The empty path is unsupported, for an add of an object as for any other operation.',
    kind: 'value',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      if (operation.op !== 'add' || operation.tokens.length > 0 || !isContent(operation.value))
        return right(areas, run, operation, place);
      for (const [name, value] of Object.entries(operation.value))
        await right(areas, run, { ...operation, path: `/${name}`, tokens: [name], value }, place);
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '', value: { note: 'n' } }])).status < 400;
    },
  },

  'operations.replace-inside-an-object': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The target of a replace has to exist, inside an object as well.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) => {
      const isScalar = !isContent(value) && !Array.isArray(value);
      const isFree = target.kind === 'member' && target.value === undefined && target.steps.length > 1;
      return isFree && isScalar
        ? areas.operations.addValue(run, target, value, place)
        : right(areas, run, target, value, place);
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions/height', value: '2' }])).status < 400;
    },
  },

  'operations.names-of-the-output': {
    source: 'core: Patch operation',
    breaks: 'A path leads into the input schema, and a name that only the output has leads nowhere.',
    kind: 'place',
    variant: replaces('operations', 'pathViewOf', (right, areas, softType) => {
      const view = right(areas, softType);
      const [output] = softType.outputs.values();
      return { ...view, names: new Map([...(output?.names ?? []), ...view.names]) };
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', label: 'l' });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/displayLabel', value: 'm' }])).status < 400;
    },
  },
};
