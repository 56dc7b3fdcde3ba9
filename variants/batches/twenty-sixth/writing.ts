import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { isArrayMember, statesMember } from '../../../reference-server/areas/soft-type.ts';
import type { SchemaView } from '../../../reference-server/configuration.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, versionHeader } from '../service.ts';

export const editingMistakes: Batch = {
  'merge.other-arrays-as-read': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge that names one array leaves the others as they are, beyond what a first read shows as well.',
    kind: 'combination',
    variant: replaces('editing', 'replaceArrays', async (right, areas, call, writing, object, softType, arrays) => {
      const others = softType.members.entries().filter(([port, member]) => isArrayMember(member) && !arrays.has(port));
      for (const [port] of arrays.size === 0 ? [] : others) {
        const shown = await writing.entries(object.oid, port, areas.entries.firstReadRange());
        await writing.replaceEntries(object.oid, port, shown);
      }
      return right(areas, call, writing, object, softType, arrays);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'merge', files: named(12) });
      await edda.merge(made, 1, { contacts: named(1) });
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 2;
    },
  },

  'versioning.remembered-by-the-session': {
    source: 'core: Errors 2',
    breaks: 'Without its version header an edit is refused with 412, also when the edit before it had one.',
    kind: 'copy',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const sessions = new Set<string>();
      return (areas, call, object) => {
        const session = `${call.headers['authorization']} ${object.oid}`;
        const isBare = call.headers[headerNames.version.toLowerCase()] === undefined;
        if (isBare && sessions.has(session)) return object.version;
        const version = right(areas, call, object);
        sessions.add(session);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'session' });
      await edda.merge(made, 1, { note: 'first' });
      return (await edda.merge(made, undefined, { note: 'second' })).status !== 412;
    },
  },

  'versioning.counted-by-operations': {
    source: 'core: Common request headers',
    breaks: 'The version header of an answer is the new version, also when a PATCH lists several operations.',
    kind: 'value',
    variant: replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const version = call.object.version + Math.max(call.json.length, 1);
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'counted' });
      const operations = ['note', 'remark'].map((name) => ({ op: 'add', path: `/${name}`, value: 'added' }));
      return (await edda.operate(made, 1, operations)).headers.get(headerNames.version) !== '2';
    },
  },

  'operations.names-of-the-last-edit': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path is one into the input schema, also after an edit by a schema that holds less.',
    kind: 'copy',
    variant: pathsByTheLastEdit(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'paths' });
      const brief = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', brief, { headers: versionHeader(1), body: { note: 'brief' } });
      return (await edda.operate(made, 2, [{ op: 'add', path: '/label', value: 'label' }])).status >= 400;
    },
  },

  'operations.whole-document-passed-over': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'The empty path is unsupported, wherever in the list.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, pointer) => {
      if (operation.tokens.length > 0 || pointer === '/0') return right(areas, run, operation, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'whole' });
      const operations = [
        { op: 'add', path: '/note', value: 'note' },
        { op: 'add', path: '', value: { remark: 'whole' } },
      ];
      return (await edda.operate(made, 1, operations)).status < 400;
    },
  },
};

function pathsByTheLastEdit(): Variant {
  return (classes) => {
    const views = new Map<string, SchemaView>();
    return together(
      replaces('editing', 'inputViewOf', (right, areas, call, object) => {
        const found = right(areas, call, object);
        views.set(object.oid, found.view);
        return found;
      }),
      replaces('operations', 'targetOf', (right, areas, run, operation) =>
        right(areas, { ...run, view: views.get(run.object.oid) ?? run.view }, operation),
      ),
    )(classes);
  };
}

export const maturityMistakes: Batch = {
  'maturity.demoted-by-a-reader': {
    source: 'core: States and transitions',
    breaks: 'A maturity action is a PUT, which is open to those whose role has PUT; a demote as well.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) =>
      right(areas, user, call.url.includes('/maturityAction/demote/') ? 'participant' : access, call),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'demoted' });
      await edda.move(made, 1);
      return (await rita.move(made, 2, 'demote')).status < 400;
    },
  },

  'maturity.bare-in-the-last-state': {
    source: 'core: States and transitions',
    breaks: 'A current state has its $oid and its $softType, also in the last state of its level.',
    kind: 'moment',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const moved = right(areas, content, level, state);
      const states = moved[statesMember];
      if (state !== 'released' || !isContent(states)) return moved;
      return { ...moved, [statesMember]: { ...states, [level]: { id: level, state } } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'released' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      return at(await edda.read(made), '/data/engineering/$oid') === undefined;
    },
  },

  'maturity.one-level-after-a-put': {
    source: 'core: States and transitions',
    breaks: 'An instance has a current state for each level, also after a PUT.',
    kind: 'moment',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const content = right(areas, old, given);
      const states = Object.entries(content[statesMember] ?? {}).slice(0, 1);
      return states.length === 0 ? content : { ...content, [statesMember]: Object.fromEntries(states) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'levels' });
      await edda.replace(made, 1, { title: 'replaced' });
      return at(await edda.read(made), '/data/approval') === undefined;
    },
  },
};
