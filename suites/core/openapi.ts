import { basePathOf } from '../../contract/address.ts';
import { headerNames } from '../../contract/names.ts';
import type { IdentityName, Profile, SoftTypeProfile } from '../../contract/profile.ts';
import fc from 'fast-check';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import {
  danglingReferences,
  definitionOf,
  dereference,
  fetchDefinition,
  hasRoutes,
  isPathParameter,
  isUsable,
  type Json,
  matchesAnything,
  misfits,
  missingRoutes,
  type Operation,
  operationFor,
  otherDefinitionUrl,
  parseDefinition,
  repeatedOperationIds,
  requestSchema,
  responseFor,
  responseSchema,
  structureErrors,
  undeclaredPlaceholders,
  urlInSpace,
} from '../../judge/every-answer/openapi.ts';
import { arbitraryOf } from '../../judge/every-answer/openapi-values.ts';
import { isObject } from '../../judge/json.ts';
import { withoutFilter } from '../../judge/notes.ts';
import { decodeSegment } from '../../judge/service/requests.ts';
import { restart } from '../../judge/service/restart.ts';
import { rules } from '../../judge/rule.ts';
import { softTypesOf } from '../../judge/service/soft-types.ts';
import { enterSecondSpace } from '../../judge/service/second-space.ts';
import { expandLink, onlyPageLink, plainTextOf } from '../../judge/service/answers.ts';
import { makeReferrer } from '../../judge/service/referrers.ts';
export const openapiRules = rules('openapi', {
  'openapi.dynamic.is-served': {
    source: 'core: Endpoint table, GET softtype.openApi',
    statement:
      'GET `/space/{spaceId}/SoftType/dynamic/softtype.openApi`, as written or below the API root, answers 200 with a non-empty document.',
    fault: 'answers 200 with an empty document',
    needs: ['openapi'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const served = await fetchDefinition(context);
      expect(served).toAnswer(200);
      expect(served.text.trim().length, 'length of the document', served).toSatisfy(
        'more than nothing',
        (length) => length > 0,
      );
      expect(Object.keys(parseDefinition(served.text) ?? {}).length, 'members of the document', served).toSatisfy(
        'at least one',
        (count) => count > 0,
      );
      const request = service.requests.openApi();
      notes.observe('status of the path as written', (await service.send(request)).status);
      notes.observe(
        'status of the path in its other form',
        (await service.send(request, { url: otherDefinitionUrl(request.url) })).status,
      );
      notes.observe('media type', served.headers['content-type'] ?? 'none', served);
      const bare = await service.get(served.url, { filter: null });
      notes.bound(withoutFilter(profile, 'openApi'), 'served without information filter', bare.status === 200, bare);
      notes.bound('openApiWithoutToken', 'without token', (await service.send(request, { as: null })).status);
      for (const url of [request.url, otherDefinitionUrl(request.url)])
        expect(await service.send(request, { url: urlInSpace(url, given.unique('no-space')) })).notToSucceed();
    }),
  },
  'openapi.dynamic.valid-document': {
    source: 'core: What the service does (OpenAPI definitions)',
    statement: 'The document is a valid OpenAPI definition of the version it declares.',
    fault: 'a path refers to a component schema that is missing',
    needs: ['openapi'],
    after: ['openapi.dynamic.is-served'],
    test: scenario(async (context) => {
      const { document, reply } = await definitionOf(context);
      context
        .expect(await structureErrors(document), 'errors against the schema of the declared version', reply)
        .toEqual([]);
      context.expect(danglingReferences(document), 'references that lead nowhere', reply).toEqual([]);
      context.expect(repeatedOperationIds(document), 'ids of more than one operation', reply).toEqual([]);
      context.notes.observe('declared version', String(document['openapi'] ?? document['swagger']), reply);
    }),
  },
  'openapi.dynamic.lists-every-soft-type': {
    source: 'core: Endpoint table, GET softtype.openApi; What the service does',
    statement:
      'The document has the create, merge and long read route of each SoftType configured in the space, and names every further one that the profile knows, in a path where it does so for the first.',
    fault: 'the last configured SoftType is left out',
    needs: ['openapi', 'soft-type', 'second-soft-type'],
    after: ['openapi.dynamic.valid-document'],
    test: scenario(async (context) => {
      const { expect, notes, profile } = context;
      const { document, reply } = await definitionOf(context);
      const byParameter = matchesAnything(document, profile.all.space);
      notes.observe('definitions are named by a parameter that takes anything', byParameter, reply);
      for (const definitionId of furtherTypes(profile.all))
        expect(plainTextOf(reply).includes(definitionId), `the document names ${definitionId}`, reply).toEqual(true);
      // where paths spell out the definitions, they do so for each of them, used or not
      const isSpelled = !byParameter && pathsOf(document).some((path) => isAt(path, profile.primary.definitionId));
      for (const definitionId of isSpelled ? furtherTypes(profile.all) : [])
        expect(
          pathsOf(document).some((path) => isAt(path, definitionId)),
          `the document has a path of ${definitionId}`,
          reply,
        ).toEqual(true);
      for (const type of [profile.primary, profile.second]) {
        expect(
          missingRoutes(document, profile.all.space, type).filter(
            (route) => profile.offers('merge') || !route.startsWith('PATCH'),
          ),
          `routes of ${type.definitionId} that the document lacks`,
          reply,
        ).toEqual([]);
        if (byParameter)
          expect(
            plainTextOf(reply).includes(type.definitionId),
            `the document names ${type.definitionId}`,
            reply,
          ).toEqual(true);
      }
    }),
  },
  'openapi.dynamic.follows-template': {
    source: 'core: What the service does (routes depend on the template)',
    statement:
      'Spaces made from different templates have different documents, each with the SoftTypes of its own template, whichever one the same user read before, and no other SoftType is created there.',
    fault: 'one static document for all spaces',
    needs: ['openapi', 'second-space'],
    after: ['openapi.dynamic.valid-document'],
    test: scenario(async (context) => {
      const { expect, given, profile } = context;
      const other = given.present(profile.all.secondSpace, 'secondSpace in the profile');
      // by one identity where it has a role in both: what was kept of the first is not what the second has
      const here = await definitionOf(context, profile.all.space);
      const there = await definitionOf(context, other.space);
      const again = await definitionOf(context, profile.all.space);
      const byParameter = matchesAnything(here.document, profile.all.space);
      const lists = ({ document, reply }: typeof here, space: string, type: typeof other.softType) =>
        byParameter ? plainTextOf(reply).includes(type.definitionId) : hasRoutes(document, space, type);
      expect(
        lists(here, profile.all.space, profile.primary),
        `the document of ${profile.all.space} has its own SoftType`,
        here.reply,
      ).toEqual(true);
      expect(
        lists(again, profile.all.space, profile.primary),
        `the document of ${profile.all.space} has its own SoftType behind that of ${other.space}`,
        again.reply,
      ).toEqual(true);
      expect(
        lists(there, other.space, other.softType),
        `the document of ${other.space} has its own SoftType`,
        there.reply,
      ).toEqual(true);
      const [mine, its] = [profile.all.space, other.space];
      const inSecond = await enterSecondSpace(context);
      await expectForeign(context, lists(there, its, profile.primary), there.reply, {
        type: profile.primary,
        space: its,
        as: inSecond?.as,
      });
      await expectForeign(context, lists(here, mine, other.softType), here.reply, {
        type: other.softType,
        space: mine,
        as: 'editor',
      });
    }),
  },
  'openapi.dynamic.describes-live-traffic': {
    level: 'should',
    source: 'core: What the service does (OpenAPI definitions); SoftType read response',
    statement:
      'Live responses of instance, by whichever output schema, page and create, of two SoftTypes, with entries and with references, fit the schemas and statuses of the document, bodies that it allows of either are accepted, and each placeholder of a path is a parameter there.',
    fault: 'the schema declares version as a string',
    needs: ['openapi', 'soft-type', 'array-port'],
    after: ['openapi.dynamic.lists-every-soft-type'],
    test: scenario(async (context, generation) => {
      const { given, service, profile } = context;
      const { document, reply: definition } = await definitionOf(context);
      const owner = await given.objectWithEntries(12);
      const { second } = profile.all.softTypes ?? {};
      const creates = [profile.primary, ...(second === undefined ? [] : [second])].map((type) => ({
        type,
        request: service.requests.create(given.body({}, type), { type, space: profile.all.space }),
      }));
      const { secondOutputSchema } = profile.primary;
      const requests = [
        service.requests.readLong(owner),
        service.requests.read(owner),
        service.requests.page(owner, 0),
        service.requests.page(owner, 1),
        ...creates.map(({ request }) => request),
        ...(profile.offers('merge') ? [service.requests.merge(owner, given.body())] : []),
        ...(secondOutputSchema === undefined ? [] : [service.requests.readLong(owner, secondOutputSchema.id)]),
        ...(second === undefined ? [] : [service.requests.readLong(await given.object({}, { type: second }))]),
      ];
      let judged = 0;
      for (const request of requests)
        if (expectFit(context, document, request, await service.send(request))) judged += 1;
      await expectReferrerFits(context, document);
      const bodies = creates.flatMap(({ type, request }) => {
        const runs = Math.min(type === second ? 3 : 10, generation.runs);
        return bodiesFor(context, document, request, type, { ...generation, runs }).map((body) => ({ request, body }));
      });
      for (const { request, body } of bodies) {
        const reply = await service.send(request, { body });
        // no schema says which values another object has already
        if (reply.status === 409) continue;
        context.expect(reply).toSucceed();
        judged += 1;
      }
      given.assume(
        judged > 0,
        'a document that answers can be held against: this one has none of the routes (an instance read, a page, a create), no schema for their answers, or none that can be compiled',
        definition,
      );
      // last: a client is made of it nevertheless, if not by every tool
      context.expect(undeclaredPlaceholders(document), 'placeholders without a parameter', definition).toEqual([]);
    }),
  },
  'openapi.restart.same-paths': {
    source: 'core: What the service does (OpenAPI definitions); Endpoint table, GET softtype.openApi',
    statement:
      'The first document after a restart has the paths of those before it: it is whole from the first request on.',
    fault: 'the first document after a start lacks a SoftType',
    needs: ['openapi', 'restart-control'],
    after: ['openapi.dynamic.valid-document'],
    test: scenario(async (context) => {
      const { given, expect, profile } = context;
      const paths = async () => {
        const { document, reply } = await definitionOf(context);
        return { all: Object.keys(document['paths'] ?? {}), reply };
      };
      // the very first one may lack what the first one after the restart lacks
      await paths();
      const [before, again] = [await paths(), await paths()];
      // what comes and goes by itself is nothing that a restart has taken
      const lasting = before.all.filter((path) => again.all.includes(path));
      given.assume(lasting.length > 0, 'a document that has the same path each time', again.reply);
      await restart(profile.all);
      const now = await paths();
      expect(
        lasting.filter((path) => !now.all.includes(path)),
        'paths that the first document after a restart lacks',
        now.reply,
      ).toEqual([]);
    }),
  },
  'openapi.static.valid-documents': {
    source: 'core: What the service does (OpenAPI definitions, static and dynamic)',
    statement:
      'The static definitions can be retrieved: where the profile says, each is a valid OpenAPI definition of the version it declares.',
    fault: 'a static definition has an operation without responses',
    needs: ['openapi-static'],
    test: scenario(async (context) => {
      const { expect, profile } = context;
      for (const path of profile.all.routes?.openApiStatic ?? []) {
        const reply = await readByWhoMay(context, path);
        expect(reply).toAnswer(200);
        const document = parseDefinition(reply.text);
        expect(
          document === undefined ? ['no document'] : await structureErrors(document),
          `errors of ${path}`,
          reply,
        ).toEqual([]);
        expect(danglingReferences(document ?? {}), `references of ${path} that lead nowhere`, reply).toEqual([]);
        expect(repeatedOperationIds(document ?? {}), `ids of more than one operation of ${path}`, reply).toEqual([]);
      }
    }),
  },
  'openapi.static.documents': {
    level: 'observe',
    source: 'core: What the service does (static definitions not shown)',
    statement: 'Static definitions for system, collection and space APIs exist, but their addresses are not described.',
    needs: ['openapi'],
    test: scenario(async ({ service, notes, profile }) => {
      const paths = profile.all.routes?.openApiStatic ?? [];
      if (paths.length === 0) notes.observe('static definitions', 'none named in the profile');
      for (const path of paths) {
        const reply = await service.get(path);
        const document = parseDefinition(reply.text);
        notes.observe(`status of ${path}`, reply.status, reply);
        notes.observe(
          `errors of ${path}`,
          document === undefined ? 'no document' : ((await structureErrors(document))[0] ?? 'none'),
          reply,
        );
        notes.observe(
          `placeholders of ${path} without a parameter`,
          undeclaredPlaceholders(document ?? {}).length,
          reply,
        );
      }
    }),
  },
});

interface Foreign {
  readonly type: SoftTypeProfile;
  readonly space: string;
  /** Who may create the SoftTypes of the space, where that is known. */
  readonly as: IdentityName | undefined;
}

/** What the document of a space does not list is none of its SoftTypes. A template may have a SoftType of another one too: what is listed can be made there. */
async function expectForeign(
  { given, service, expect, notes }: CaseContext,
  isListed: boolean,
  document: Reply,
  { type, space, as }: Foreign,
): Promise<void> {
  const what = `the document of ${space} has ${type.definitionId}, of another template`;
  notes.observe(what, isListed, document);
  if (as === undefined) return;
  const created = await service.create(given.body({}, type), { of: { type, space }, as });
  if (!isListed) expect(created).toBeRefused();
  else if (!isSuccess(created.status)) expect(isListed, what, document).toEqual(false);
}

/** Definitions of the collection may be the business of its administrator. */
async function readByWhoMay({ service, profile }: CaseContext, path: string): Promise<Reply> {
  const reply = await service.get(path);
  const isRefused = reply.status === 401 || reply.status === 403;
  return isRefused && profile.all.identities.administrator !== undefined
    ? service.get(path, { as: 'administrator' })
    : reply;
}

/** False where nothing could be compared: the document does not have the route, or no schema for the answer that can be compiled. */
function expectFit(
  { expect, notes, profile }: CaseContext,
  document: Json,
  request: Pick<RequestSpec, 'method'>,
  reply: Reply,
): boolean {
  const path = pathBelow(profile.all.baseUrl, reply.url);
  const operation = operationFor(document, request.method, path);
  if (operation === undefined) {
    notes.observe(`${request.method} of the run is in the document`, false, reply);
    return false;
  }
  expect(
    responseFor(document, operation, reply.status),
    `response ${reply.status} of ${operation.template} in the document`,
    reply,
  ).toBePresent();
  if (isSuccess(reply.status)) {
    expect(
      misnamed(operation, request.method, path),
      `parameters of ${operation.template} that are other ones`,
      reply,
    ).toEqual([]);
    expect(
      unfitParameters(document, operation, path),
      `parameters of ${operation.template} that do not allow what was accepted`,
      reply,
    ).toEqual([]);
  }
  if (reply.text === '') return false;
  const schema = responseSchema(document, operation, reply.status);
  const canCompare = isUsable(document, schema);
  notes.observe(`the schema of ${request.method} ${operation.template} can be used`, canCompare, reply);
  if (!canCompare) return false;
  // long integers as the numbers that a schema knows
  const shown: unknown = reply.json === undefined ? undefined : JSON.parse(reply.text);
  expect(misfits(document, schema, shown), `misfits of ${operation.template}`, reply).toEqual([]);
  return true;
}

/** The filter of a page among the parameters of a read, and the other way round, and a version header that an edit need not have. */
function misnamed({ parameters }: Operation, method: string, path: string): readonly string[] {
  const other = path.includes('/page/') ? 'softTypeFilterId' : 'softTypeFilter';
  return parameters.filter(isObject).flatMap(({ name, in: place, required }) => {
    if (place === 'query' && method === 'GET' && name === other) return [other];
    const isVersion = place === 'header' && String(name).toLowerCase() === headerNames.version.toLowerCase();
    return isVersion && method === 'PATCH' && required !== true ? [`${String(name)}, which is not required`] : [];
  });
}

/** Parameters in the path of an operation whose schemas do not admit what stands there, each as `name: value`. */
function unfitParameters(document: Json, { template, parameters }: Operation, path: string): readonly string[] {
  const names = template.split('/');
  const values = path.split('/').slice(-names.length);
  return names.flatMap((placeholder, at) => {
    const [, name] = /^\{([^}]+)\}$/.exec(placeholder) ?? [];
    const parameter = parameters.find((each) => isObject(each) && name !== undefined && isPathParameter(each, name));
    const schema = isObject(parameter) ? dereference(document, parameter['schema']) : undefined;
    if (!isObject(schema) || !isUsable(document, schema)) return [];
    const text = decodeSegment(values[at] ?? '');
    const isNumber = schema['type'] === 'integer' || schema['type'] === 'number';
    return misfits(document, schema, isNumber ? Number(text) : text).length > 0 ? [`${name}: ${text}`] : [];
  });
}

/** References are shown as the document says as well: those of the instance, by either route, and those on a page. */
async function expectReferrerFits(context: CaseContext, document: Json): Promise<void> {
  const { service } = context;
  const { thing, read } = (await makeReferrer(context, 11)) ?? {};
  if (thing === undefined || read === undefined) return;
  const link = onlyPageLink(read);
  const page = link && (await service.get(expandLink(link, 1), { base: read }));
  for (const reply of [read, await service.readLong(thing), page])
    if (reply?.status === 200) expectFit(context, document, { method: 'GET' }, reply);
}

/** Path of the URL without that of the base URL, since paths of the document may leave out where a gateway puts them. */
function pathBelow(baseUrl: string, url: string): string {
  const base = basePathOf(baseUrl);
  const { pathname } = new URL(url);
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
}

function bodiesFor(
  { notes, profile }: CaseContext,
  document: Json,
  create: RequestSpec,
  { definitionId }: SoftTypeProfile,
  generation: { seed: number; runs: number },
): readonly unknown[] {
  const operation = operationFor(document, create.method, new URL(create.url, 'http://localhost').pathname);
  // which objects a reference may lead to, no schema says
  const ports = softTypesOf(profile.all)
    .filter((type) => type.definitionId === definitionId)
    .flatMap(({ reference }) => (reference === undefined ? [] : [reference.port]));
  const arbitrary = operation && arbitraryOf(document, requestSchema(document, operation), ports);
  notes.observe('bodies of a create can be generated from the document', arbitrary !== undefined);
  return arbitrary === undefined ? [] : fc.sample(arbitrary, { seed: generation.seed, numRuns: generation.runs });
}

function pathsOf(document: Json): readonly string[] {
  return Object.keys(document['paths'] ?? {});
}

/** Whether a segment of the path is the definition. */
function isAt(path: string, definitionId: string): boolean {
  return path.split('/').some((segment) => decodeSegment(segment) === definitionId);
}

/** Definition ids of SoftTypes that the profile knows beside the two that are judged. */
function furtherTypes({ softTypes }: Profile): readonly string[] {
  const { further = [], others = [] } = softTypes ?? {};
  return [...further.map(({ definitionId }) => definitionId), ...others];
}
