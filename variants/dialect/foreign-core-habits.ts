import { stringify } from 'yaml';
import { headerNames } from '../../contract/names.ts';
import type { Answer } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import { isObject, jsonIn, mapped } from './choice.ts';

/** Ids of objects are URNs, with letters that a URI has to encode. */
export const idsAsUrns: Variant = replaces('editing', 'newOid', (right, areas) => `urn:svc:${right(areas)}~ä+"$&`);

export const definitionsInYaml: Variant = (classes) => {
  const texts = new Map<string, string>();
  const inYaml = (answer: Answer): Answer => {
    const json = answer.raw?.toString();
    if (answer.status !== 200 || json === undefined) return answer;
    const raw = texts.get(json) ?? stringify(JSON.parse(json), { aliasDuplicateObjects: false });
    texts.set(json, raw);
    return { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/yaml' }, raw };
  };
  return together(
    replaces('openApi', 'readDynamicOpenApi', async (right, ...args) => inYaml(await right(...args))),
    replaces('openApi', 'readStaticOpenApi', async (right, ...args) => inYaml(await right(...args))),
  )(classes);
};

export const bareListings: Variant = replaces('caching', 'conditional', (right, areas, call, answer) => {
  const body = jsonIn(answer);
  const isListing = call.url.startsWith('/api/collection/') && isObject(body) && Array.isArray(body['data']);
  return right(areas, call, isListing ? { ...answer, body: body['data'] } : answer);
});

/** To take a lock makes a version, and the next edit gives it back. */
export const locksForOneEdit: Variant = together(
  replaces('locks', 'lockObject', async (right, areas, call, writing) => {
    const answer = await right(areas, call, writing);
    const { spaceId, oid } = call.object;
    const locked = await writing.object(spaceId, oid);
    if (locked === undefined) return answer;
    const version = areas.versioning.nextVersion(locked.version);
    await writing.updateObject(spaceId, oid, version, locked.content);
    return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(version) } };
  }),
  replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
    const { $lockedBy: holder, ...free } = content;
    const isEdit = version > object.version && holder !== undefined;
    return right(areas, writing, object, version, isEdit ? free : content);
  }),
);

export const emptyTextIsNone: Variant = together(
  replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
    const filled = mapped(body, (object) =>
      Object.fromEntries(Object.entries(object).filter(([, value]) => value !== '')),
    );
    if (rules.nulls === 'refuse' || !isObject(filled) || !isObject(body))
      return right(areas, rules, softType, view, filled);
    const emptied = Object.entries(body).flatMap(([name, value]) => (value === '' ? [[name, null]] : []));
    return right(areas, rules, softType, view, { ...filled, ...Object.fromEntries(emptied) });
  }),
  replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
    if (value === '' && target.kind === 'member' && target.value === undefined) return;
    return right(areas, run, target, value, at);
  }),
  replaces('operations', 'replaceValue', async (right, areas, run, target, value, at) => {
    if (value !== '' || target.kind !== 'member' || target.value === undefined)
      return right(areas, run, target, value, at);
    if (target.member.mandatory) throw new Refusal(422, 'The empty text is no value.', { pointer: at });
    return areas.operations.setMember(run, target, undefined);
  }),
);

/** A parameter that a read does not know is refused. */
export const strictQueries: Variant = together(
  replaces('instances', 'readInstance', async (right, areas, call, reading) => {
    assertKnown(call.query, 'softTypeFilterId');
    return right(areas, call, reading);
  }),
  replaces('paging', 'readPage', async (right, areas, call, reading) => {
    assertKnown(call.query, 'softTypeFilter');
    return right(areas, call, reading);
  }),
);

/** A reference that no item answers to is left out; of items that share an $id the last one is meant. */
export const looseItems: Variant = replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
  const items: readonly unknown[] = Array.isArray(call.json) ? call.json : [];
  const ids = items.map((item) => (isObject(item) ? item['$id'] : undefined));
  const own = new Set(ids);
  const json = items.map((item, index) => {
    const loose = withoutDangling(item, own);
    if (!isObject(loose) || ids[index] === undefined || !ids.includes(ids[index], index + 1)) return loose;
    const { $id: _taken, ...unnamed } = loose;
    return unnamed;
  });
  return right(areas, Array.isArray(call.json) ? { ...call, json } : call, writing);
});

/** Now and then there is too much to do, by turns for this client and for all. */
export const sometimesTooMuch: Variant = (classes) => {
  let turn = 0;
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    turn += 1;
    const status = turn % 122 === 0 ? 503 : 429;
    if (turn % 61 === 0) throw new Refusal(status, 'Ask again.', { headers: { 'Retry-After': '0' } });
    return right(areas, route, call);
  })(classes);
};

/** Tags hold a comma, and are compared as they are. */
export const tagsWithCommas: Variant = together(
  replaces(
    'caching',
    'etagOf',
    (right, areas, representation) => `"1,${right(areas, representation).replaceAll('"', '')}"`,
  ),
  replaces('caching', 'ifNoneMatch', (_right, _areas, header, etag) => header === etag),
);

function assertKnown(query: URLSearchParams, ...names: readonly string[]): void {
  const stranger = [...query.keys()].find((name) => !names.includes(name) && !name.includes('.'));
  if (stranger !== undefined) throw new Refusal(400, `There is no parameter ${stranger}.`);
}

function withoutDangling(value: unknown, own: ReadonlySet<unknown>): unknown {
  if (Array.isArray(value))
    return value.filter((item) => !isDangling(item, own)).map((item) => withoutDangling(item, own));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutDangling(inner, own)]));
}

function isDangling(entry: unknown, own: ReadonlySet<unknown>): boolean {
  const value = isObject(entry) ? entry['value'] : undefined;
  return isObject(value) && value['instanceRef'] !== undefined && !own.has(value['instanceRef']);
}
