import { routes } from '../../contract/routes.ts';
import { longHref } from '../../reference-server/areas/objects.ts';
import { nameOf } from '../../reference-server/areas/operations.ts';
import type { Answer } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { Content, StoredObject } from '../../reference-server/ports/store.ts';
import { type Variant, type Variants, breaks, together, within, replaces } from '../breaks.ts';
import { alterInstance, isJson, isLongRoute, jsonAt } from './answers.ts';

export const readingFaults = {
  'reading.create.status-201': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    return route.path === routes.create ? { ...answer, status: 200 } : answer;
  }),

  'reading.create.content-reads-back': replaces('contents', 'contentFrom', (right, areas, call, ...rest) => {
    const input = right(areas, call, ...rest);
    return call.method === 'POST' ? { ...input, content: trimTexts(input.content) } : input;
  }),

  'reading.create.new-identity-each-time': breaks('editing', 'createObject', (right) => {
    const recent = new Map<string, { readonly answer: Answer; readonly at: number }>();
    return async (areas, call, writing) => {
      const key = `${call.url} ${String(call.body)}`;
      const at = areas.clock.monotonic();
      const earlier = recent.get(key);
      if (earlier !== undefined && at - earlier.at < 1000) return earlier.answer;
      const answer = await right(areas, call, writing);
      recent.set(key, { answer, at });
      return answer;
    };
  }),

  'reading.instance.short-route-served': together(
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      if (route.method !== 'GET' || route.path !== routes.instanceShort) return answer;
      throw new Refusal(404, 'Instances are read by definition and output schema.');
    }),
    replaces('objects', 'instanceHref', (_right, _areas, object, softType, view) => longHref(object, softType, view)),
    replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const softType = areas.objects.softTypeOf(call.space, call.params.definitionId ?? '');
      const view = areas.objects.outputViewOf(softType, undefined);
      const locationOf = (spaceId: string, oid: string): string => longHref({ spaceId, oid }, softType, view);
      return right(within(areas, { objects: { locationOf } }), call, writing);
    }),
  ),

  'reading.instance.long-route-served': staleLongRoute(),

  'reading.answers.right-throughout': alterInstance((body, { headers }) =>
    headers['if-none-match'] === undefined ? body : { ...body, schema: jsonAt(body, 'schema')['title'] },
  ),

  'reading.body.href-leads-back': alterInstance((body) => ({
    ...body,
    href: String(body['href']).replace(/\/[^/]*$/, ''),
  })),

  'reading.body.data-is-object': alterInstance((body) => ({ ...body, data: [body['data']] })),

  'reading.body.version-is-integer': alterInstance((body) => ({ ...body, version: String(body['version']) })),

  'reading.body.links-is-array': alterInstance(({ links, ...body }) =>
    Array.isArray(links) && links.some((link) => isJson(link) && link['rel'] === 'page') ? { ...body, links } : body,
  ),

  'reading.body.schema-is-object': alterInstance((body) => ({ ...body, schema: jsonAt(body, 'schema')['title'] })),

  'reading.system.version-matches-top-level': replaces('instances', 'systemMembers', (right, areas, object) => ({
    ...right(areas, object),
    $version: 1,
  })),

  'reading.system.oid-matches-route': newOidByMerge(),

  'reading.system.soft-type-names-definition': replaces('instances', 'dataOf', (right, areas, space, ...rest) => ({
    ...right(areas, space, ...rest),
    $softType: space.template.softTypes.keys().next().value ?? '',
  })),

  'reading.entries.objects-carry-entry-id': replaces('entries', 'entryOut', (right, ...args) => ({
    ...right(...args),
    ...withoutNestedIds(right(...args)),
  })),

  'reading.entries.ids-unique-in-array': idsByLength(),

  'reading.entries.ids-stable-between-reads': (classes) => freshIdsByLongRoute()(classes),

  'reading.output-schema.shapes-data': replaces('objects', 'outputViewOf', (right, areas, softType) =>
    right(areas, softType, undefined),
  ),

  'reading.missing-object.status-404': replaces(
    'dispatcher',
    'carryOutRead',
    async (right, areas, route, call, reading) => {
      const object = await reading.object(call.space.id, call.params.objectId ?? '');
      if (object !== undefined || route.path !== routes.instanceLong) return right(areas, route, call, reading);
      return { status: 200, body: { href: call.url, data: {}, version: 0, links: [], schema: {} } };
    },
  ),

  'reading.filter.narrows-entries': replaces('entries', 'filterOf', (right, areas, call, softType, parameter) =>
    parameter === 'softTypeFilterId' ? undefined : right(areas, call, softType, parameter),
  ),

  'reading.filter.query-value-selects': breaks('entries', 'filterOf', (right) => {
    const first = new Map<string, string>();
    return (areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      if (applied === undefined || applied.filter.equals !== undefined || parameter !== 'softTypeFilterId')
        return applied;
      const value = first.get(applied.filter.id) ?? applied.value;
      first.set(applied.filter.id, value);
      return { ...applied, value };
    };
  }),
} satisfies Variants;

function trimTexts(content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]),
  );
}

/** Shows by the long route what the last merge edit left behind. */
function staleLongRoute(): Variant {
  return (classes) => {
    const earlier = new Map<string, StoredObject>();
    return together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, ...rest) => {
        earlier.delete(object.oid);
        await right(areas, writing, object, ...rest);
      }),
      replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
        const before = await writing.object(call.space.id, call.params.objectId ?? '');
        const answer = await right(areas, call, writing);
        if (before !== undefined) earlier.set(before.oid, before);
        return answer;
      }),
      replaces('objects', 'locateObject', async (right, areas, call, reading) => {
        const object = await right(areas, call, reading);
        return isLongRoute(call) ? (earlier.get(object.oid) ?? object) : object;
      }),
    )(classes);
  };
}

/** An object that was merged into is another one to those who read it. */
function newOidByMerge(): Variant {
  return (classes) => {
    const merged = new Set<string>();
    return together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const answer = await right(areas, route, call);
        if (route.method === 'PATCH' && route.path === routes.merge) merged.add(call.params.objectId ?? '');
        return answer;
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => ({
        ...right(areas, object),
        $oid: merged.has(object.oid) ? `${object.oid}-${object.version}` : object.oid,
      })),
    )(classes);
  };
}

/** The arrays of an entry with items that cannot be addressed. */
function withoutNestedIds(entry: Content): Content {
  const arrays = Object.entries(entry).filter((member): member is [string, readonly unknown[]] =>
    Array.isArray(member[1]),
  );
  return Object.fromEntries(arrays.map(([name, items]) => [name, items.map(withoutId)]));
}

function withoutId(item: unknown): unknown {
  if (!isJson(item)) return item;
  const { $entryId: _gone, ...members } = item;
  return members;
}

/** An appended entry is known by the length that the array then has, whatever is known by it already. */
function idsByLength(): Variant {
  const keyOf = (oid: string, port: string, entryId: number): string => `${oid} ${port} ${entryId}`;
  return (classes) => {
    const shown = new Map<string, number>();
    return together(
      replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
        const { oid } = run.object;
        const port = nameOf(target);
        await right(areas, run, target, contents);
        const to = await run.writing.countEntries(oid, port);
        const from = to - contents.length;
        const added = await run.writing.entries(oid, port, { from, to });
        for (const [index, { entryId }] of added.entries()) shown.set(keyOf(oid, port, entryId), from + index + 1);
      }),
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, ...rest) => {
        const entries = await right(areas, reading, object, section, ...rest);
        return entries.map((entry) => ({
          ...entry,
          entryId: shown.get(keyOf(object.oid, section.port, entry.entryId)) ?? entry.entryId,
        }));
      }),
    )(classes);
  };
}

/** Each read by the long route numbers the entries of its arrays anew. */
function freshIdsByLongRoute(): Variant {
  let last = 1000;
  const renumbered = (value: unknown): unknown => {
    if (!Array.isArray(value)) return value;
    return value.map((item: unknown) => (isJson(item) ? { ...item, $entryId: (last += 1) } : item));
  };
  return alterInstance((body, call) => {
    if (!isLongRoute(call)) return body;
    const members = Object.entries(jsonAt(body, 'data')).map(([name, value]) => [name, renumbered(value)]);
    return { ...body, data: Object.fromEntries(members) };
  });
}
