import { routes } from '../../../contract/routes.ts';
import { longHref } from '../../hypermedia/hrefs.ts';
import { Refusal } from '../../problem.ts';
import type { Answer } from '../../service.ts';
import type { Content } from '../../store/store.ts';
import { isJson } from '../answer.ts';
import { replacing, together, type FaultsOf } from '../fault.ts';
import { instanceAltered, isLongRoute, jsonAt, within } from '../reads.ts';
import { newOidByMerge, staleLongRoute } from './after-merge.ts';
import { freshIdsByLongRoute, idsByLength, withoutNestedIds } from './entry-ids.ts';

export const readingFaults: FaultsOf<'reading'> = {
  'reading.create.status-201': replacing('carryOut', (right) => async (service, route, call) => {
    const answer = await right(service, route, call);
    return route.path === routes.create ? { ...answer, status: 200 } : answer;
  }),

  'reading.create.content-reads-back': replacing('contentFrom', (right) => (service, call, ...rest) => {
    const input = right(service, call, ...rest);
    return call.method === 'POST' ? { ...input, content: trimmed(input.content) } : input;
  }),

  'reading.create.new-identity-each-time': replacing('createObject', (right) => {
    const recent = new Map<string, { readonly answer: Answer; readonly at: number }>();
    return async (service, call, writing) => {
      const key = `${call.url} ${String(call.body)}`;
      const at = service.clock.monotonic();
      const earlier = recent.get(key);
      if (earlier !== undefined && at - earlier.at < 1000) return earlier.answer;
      const answer = await right(service, call, writing);
      recent.set(key, { answer, at });
      return answer;
    };
  }),

  'reading.instance.short-route-served': together(
    replacing('carryOut', (right) => async (service, route, call) => {
      const answer = await right(service, route, call);
      if (route.method !== 'GET' || route.path !== routes.instanceShort) return answer;
      throw new Refusal(404, 'Instances are read by definition and output schema.');
    }),
    replacing('instanceHref', () => (_service, object, softType, view) => longHref(object, softType, view)),
    replacing('createObject', (right) => async (service, call, writing) => {
      const softType = service.behaviours.softTypeOf(service, call.space, call.params.definitionId ?? '');
      const view = service.behaviours.outputViewOf(service, softType, undefined);
      const locationOf = (spaceId: string, oid: string): string => longHref({ spaceId, oid }, softType, view);
      return right(within(service, { locationOf }), call, writing);
    }),
  ),

  'reading.instance.long-route-served': staleLongRoute,

  'reading.body.href-leads-back': instanceAltered((body) => ({
    ...body,
    href: String(body['href']).replace(/\/[^/]*$/, ''),
  })),

  'reading.body.data-is-object': instanceAltered((body) => ({ ...body, data: [body['data']] })),

  'reading.body.version-is-integer': instanceAltered((body) => ({ ...body, version: String(body['version']) })),

  'reading.body.links-is-array': instanceAltered(({ links, ...body }) =>
    Array.isArray(links) && links.some((link) => isJson(link) && link['rel'] === 'page') ? { ...body, links } : body,
  ),

  'reading.body.schema-is-object': instanceAltered((body) => ({ ...body, schema: jsonAt(body, 'schema')['title'] })),

  'reading.system.version-matches-top-level': replacing('systemMembers', (right) => (object) => ({
    ...right(object),
    $version: 1,
  })),

  'reading.system.oid-matches-route': newOidByMerge,

  'reading.system.soft-type-names-definition': replacing('dataOf', (right) => (service, space, ...rest) => ({
    ...right(service, space, ...rest),
    $softType: space.template.softTypes.keys().next().value ?? '',
  })),

  'reading.entries.objects-carry-entry-id': replacing('entryOut', (right) => (...args) => ({
    ...right(...args),
    ...withoutNestedIds(right(...args)),
  })),

  'reading.entries.ids-unique-in-array': idsByLength,

  'reading.entries.ids-stable-between-reads': (behaviours) => freshIdsByLongRoute()(behaviours),

  'reading.output-schema.shapes-data': replacing(
    'outputViewOf',
    (right) => (service, softType) => right(service, softType, undefined),
  ),

  'reading.missing-object.status-404': replacing('readInstance', (right) => async (service, call, reading) => {
    const object = await reading.object(call.space.id, call.params.objectId ?? '');
    if (object !== undefined || !isLongRoute(call)) return right(service, call, reading);
    return { status: 200, body: { href: call.url, data: {}, version: 0, links: [], schema: {} } };
  }),

  'reading.filter.narrows-entries': replacing(
    'filterOf',
    (right) => (service, call, softType, parameter) =>
      parameter === 'softTypeFilterId' ? undefined : right(service, call, softType, parameter),
  ),

  'reading.filter.query-value-selects': replacing('filterOf', (right) => {
    const first = new Map<string, string>();
    return (service, call, softType, parameter) => {
      const applied = right(service, call, softType, parameter);
      if (applied === undefined || applied.filter.equals !== undefined || parameter !== 'softTypeFilterId')
        return applied;
      const value = first.get(applied.filter.id) ?? applied.value;
      first.set(applied.filter.id, value);
      return { ...applied, value };
    };
  }),
};

function trimmed(content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]),
  );
}
