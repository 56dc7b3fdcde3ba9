import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, Step, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf } from '../proofs.ts';
import { at, type Client, listAt, type Made, many, movePath } from '../service.ts';
import { during, forgive, isRefusal, whole } from '../variant-parts.ts';

const inDepot = new Step();

async function referring(client: Client, count: number): Promise<Made> {
  const { oid } = await client.make('Part');
  return client.make('Document', { describes: many(count, () => ({ value: { $oid: oid } })) });
}

/** References behind the first page go when the method stores the object. */
function cutsReferences(...[area, method]: ['editing', 'mergeObject'] | ['maturity', 'promoteObject']): Variant {
  const working = (step: Step): Variant =>
    replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
      const all = step.isOn() ? await writing.entries(object.oid, 'describes', whole) : [];
      for (const { entryId } of all.slice(10)) await writing.removeEntry(object.oid, 'describes', entryId);
      await right(areas, writing, object, version, content);
    });
  return area === 'editing' ? during(area, method as 'mergeObject', working) : during(area, 'promoteObject', working);
}

export const referencesAndSpacesMistakes: Mistakes = {
  'spaces.versions-compared-in-the-first-alone': {
    source: 'core: Errors rule 1; Versioning 3',
    breaks: 'An edit for another version than the current one is refused in every space.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const sent = areas.versioning.versionHeaderOf(call);
      return object.spaceId === 'main' || sent > object.version ? right(areas, call, object) : object.version;
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 't' });
      await otto.merge(made, 1, { note: 'n' });
      return (await otto.merge(made, 1, { note: 'm' })).status === 204;
    },
  },
  'spaces.removals-of-another-are-marks': {
    source: 'core: Batch rules 5; Endpoint table',
    breaks: 'What was deleted is gone, in every space.',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const answer = await right(areas, route, call, writing);
      if (call.method === 'DELETE' && call.space.id !== 'main') throw new Undone(answer);
      return answer;
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 't' });
      return (await otto.delete(made.path)).status < 300 && (await otto.get(made.path)).status === 200;
    },
  },
  'spaces.adds-of-another-replace': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that exists fails in every space.',
    variant: during('operations', 'operateObject', (step) =>
      replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
        const isTaken = target.kind === 'member' && target.value !== undefined;
        return isTaken && step.isOn() && run.object.spaceId !== 'main'
          ? areas.operations.replaceValue(run, target, value, place)
          : right(areas, run, target, value, place);
      }),
    ),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 't', note: 'n' });
      return (await otto.operate(made, 1, [{ op: 'add', path: '/note', value: 'm' }])).status < 300;
    },
  },
  'references.merge-cuts-them': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge of a text leaves all references, those behind the first page too.',
    variant: cutsReferences('editing', 'mergeObject'),
    async shows({ edda }) {
      const made = await referring(edda, 12);
      await edda.merge(made, 1, { note: 'n' });
      return (await edda.page(made, 'describes', 1)).status !== 200;
    },
  },
  'references.promote-cuts-them': {
    source: 'core: States and transitions',
    breaks: 'A promote leaves all references, those behind the first page too.',
    variant: cutsReferences('maturity', 'promoteObject'),
    async shows({ edda }) {
      const made = await referring(edda, 12);
      await edda.move(made, 1);
      return (await edda.page(made, 'describes', 1)).status !== 200;
    },
  },
  'references.ten-of-a-merge-in-a-batch': {
    source: 'core: Batch rules 5; Endpoint table, PATCH (merge)',
    breaks: 'A merge in a batch stores all references that it brings.',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const { describes } = isContent(call.json) ? call.json : {};
      if (call.isSibling === undefined || !Array.isArray(describes)) return right(areas, call, writing);
      return right(areas, { ...call, json: { ...Object(call.json), describes: describes.slice(0, 10) } }, writing);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { describes: many(11, () => ({ value: { $oid: oid } })) })]);
      return (await edda.page(made, 'describes', 1)).status !== 200;
    },
  },
  'references.merge-compares-no-version': {
    source: 'core: Errors 409',
    breaks: 'A merge that brings references alone is compared with the version of the object.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const text = call.method === 'PATCH' ? (call.body?.toString() ?? '') : '';
      const isMeant = /^\s*\{\s*"describes"\s*:/.test(text) && !text.includes('"title"') && !text.includes('"note"');
      return isMeant && call.headers['svc-uoiversion'] !== undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.merge(made, 7, { describes: [] })).status !== 409;
    },
  },
  'references.end-marker': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given for an array of references.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      if (target.kind === 'array' && target.marker && target.member.kind === 'references')
        throw new Refusal(422, 'There is no reference -.');
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const made = await edda.make('Document');
      const add = { op: 'add', path: '/describes/-', value: { value: { $oid: oid } } };
      return (await edda.operate(made, 1, [add])).status >= 300;
    },
  },
  'spaces.no-limit-in-another-one': {
    source: 'core: Multi-create rules 3',
    breaks: 'A multi-create takes fifty items at most in every space.',
    variant: together(
      breaks(
        'multiCreate',
        'multiCreate',
        (right) => (areas, call, writing) =>
          call.space.id === [...areas.configuration.spaces.keys()][0]
            ? right(areas, call, writing)
            : inDepot.run(() => right(areas, call, writing)),
      ),
      replaces('multiCreate', 'withinLimit', (right, areas, items) => (inDepot.isOn() ? items : right(areas, items))),
    ),
    async shows({ edda }) {
      const items = many(51, (number) => ({ $id: `${number}`, $softType: 'Dossier', data: { title: 't' } }));
      return (await edda.multiCreate(items, 'depot')).status < 300;
    },
  },
  'spaces.no-rollback-in-another-one': {
    source: 'core: Batch rules 1',
    breaks: 'A batch that fails is rolled back in every space.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      const isFirst = call.params['spaceId'] === [...areas.configuration.spaces.keys()][0];
      if (!route.path.endsWith('/batch') || answer.status !== 500 || isFirst) return answer;
      const operations = listAt(JSON.parse(call.body?.toString() ?? '[]'), '');
      const failed = listAt(answer.body, '').findIndex((result) => at(result, '/statusCode') !== 424);
      const body = Buffer.from(JSON.stringify(operations.slice(0, failed)));
      if (failed > 0) await right(areas, route, { ...call, body }).catch(forgive);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Dossier');
      await edda.batch([mergeOf(made, 1, { note: 'n' }), { method: 'GET', href: `${made.path}x` }], 'depot');
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'spaces.no-filter-in-another-one': {
    source: 'core: Common request headers, Svc-InformationFilter',
    breaks: 'The information filter is required in every space.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const isFirst = call.params['spaceId'] === [...areas.configuration.spaces.keys()][0];
      return call.headers['svc-informationfilter'] === undefined && !isFirst ? {} : right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Dossier');
      return (await edda.get(made.path, { [headerNames.informationFilter]: '' })).status === 200;
    },
  },
  'spaces.promote-through-another-one': {
    source: 'core: Errors 404',
    breaks: 'An object is not found below another space, by a promote either.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 404 || route.path !== routes.promote) throw error;
        for (const spaceId of areas.configuration.spaces.keys())
          if (await areas.store.read((reading) => reading.object(spaceId, call.params['objectId'] ?? '')))
            return right(areas, route, { ...call, params: { ...call.params, spaceId } });
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.put(movePath(made).replace('/main/', '/depot/'), 1);
      return at(await edda.read(made), '/version') === 2;
    },
  },
  'spaces.batch-reads-those-of-others': {
    source: 'core: What the service does, space level; Errors 404',
    breaks: 'An operation of a batch finds objects of its own space only.',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      try {
        return await right(areas, route, call, writing);
      } catch (error) {
        if (call.isSibling === undefined || call.method !== 'GET' || !isRefusal(error, 404)) throw error;
        for (const space of areas.configuration.spaces.values())
          if ((await writing.object(space.id, call.params['objectId'] ?? '')) !== undefined)
            return right(areas, route, { ...call, space }, writing);
        throw error;
      }
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Dossier');
      return (await edda.batch([{ method: 'GET', href: `/api/space/main/softtype/${oid}` }])).status === 200;
    },
  },
};
