import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { headerNames } from '../../contract/names.ts';
import type { Profile } from '../../contract/profile.ts';
import { dataOf, entriesOf, linksOf, memberOf, textsOf, versionOf } from '../../judge/answers.ts';
import { sendBatch } from '../../judge/batch.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { withCorrelationId } from '../../judge/requests.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import type { Thing } from '../../judge/things.ts';
import { pointer } from '../../judge/json.ts';
import { rules } from '../../judge/rule.ts';
import { PreconditionFailed } from '../../judge/violation.ts';
import { editRoutes, findWorking, makeEditable, otherWrites } from '../../judge/writes.ts';

const attempts = 10;

const pauseMs = 50;

export const headersRules = rules('headers', {
  'headers.uoi-version.on-create': {
    level: 'must',
    source: 'core: Common request headers (response headers); Endpoint table, POST softtype; Errors 201',
    statement: 'The 201 of a create carries `Svc-UOIVersion` with the version of the new object.',
    fault: 'the create response lacks the version header',
    needs: ['soft-type'],
    test: scenario(async ({ given, service, expect }) => {
      const body = given.body();
      const created = await service.create(body);
      given.succeeded(created, 'an object is created', ['reading.create.status-201']);
      const header = expect(created).toCarry(headerNames.version);
      expect(header, 'version header of a create', created).toSatisfy('decimal digits', (text) => /^\d+$/.test(text));
      const read = await service.read(await given.found(created, body));
      expect(Number(header), 'version header of a create', created).toEqual(versionOf(read));
    }),
  },
  'headers.uoi-version.on-merge': {
    level: 'must',
    source: 'core: Common request headers (response headers); Endpoint table, PATCH (merge)',
    statement: 'The response of a merge PATCH carries `Svc-UOIVersion` with the new version, not the one sent.',
    fault: 'echoes the version of the request',
    needs: ['soft-type', 'scalar-members'],
    test: scenario(async (context) => {
      const { given, service, profile } = context;
      for (const edits of [0, 6])
        await tellsNewVersion(context, await given.edited(await makeEditable(context), edits), (thing) =>
          service.requests.merge(thing, { [profile.scalars[0]]: given.unique() }),
        );
    }),
  },
  'headers.uoi-version.on-operations': {
    level: 'must',
    source: 'core: Common request headers (response headers); Endpoint table, PATCH (operations)',
    statement: 'The response of an operations PATCH carries `Svc-UOIVersion` with the new version.',
    fault: 'the operations response lacks the version header',
    needs: ['soft-type', 'scalar-members'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, service, profile } = context;
      const [first, second] = profile.scalars;
      for (const members of [[first], [first, second, first]])
        await tellsNewVersion(
          context,
          await given.object({ [first]: given.unique(), [second]: given.unique() }),
          (thing) =>
            service.requests.operations(
              thing,
              members.map((member) => ({ op: 'replace', path: pointer(member), value: given.unique() })),
            ),
        );
    }),
  },
  'headers.uoi-version.on-put': {
    level: 'must',
    source: 'core: Common request headers (response headers); Endpoint table, PUT',
    statement: 'The response of a PUT carries `Svc-UOIVersion` with the new version.',
    fault: 'the PUT response lacks the version header',
    needs: ['soft-type', 'scalar-members', 'put-route'],
    test: scenario(async (context) => {
      const { given, service } = context;
      for (const edits of [0, 6])
        await tellsNewVersion(context, await given.edited(await makeEditable(context), edits), (thing) =>
          service.requests.put(thing, given.body()),
        );
    }),
  },
  'headers.uoi-version.elsewhere': {
    level: 'observe',
    source: 'core: Common request headers (response headers: every POST, PUT and PATCH)',
    statement:
      'Not described: the version header on GET, on refused writes, on the batch POST as a whole and on a multi-create of several objects.',
    needs: ['soft-type', 'scalar-members'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const thing = await makeEditable(context);
      const body = { [profile.scalars[0]]: given.unique() };
      const replies = {
        'a GET': await service.read(thing),
        'a 409': await service.merge(thing, body, { version: thing.version + 7 }),
        'a 412': await service.merge(thing, body, { version: null }),
        'a batch': await service.batch([{ method: 'GET', href: service.requests.read(thing).url }]),
        'a multi-create': await service.multiCreate([
          { $id: 'one', $softType: profile.primary.definitionId, data: given.body() },
        ]),
      };
      for (const [what, reply] of Object.entries(replies))
        notes.observe(`version header on ${what} (${reply.status})`, versionHeader(reply) ?? 'none', reply);
    }),
  },
  'headers.location.on-create': {
    level: 'must',
    source: 'core: Common request headers (response headers); Errors 201',
    statement: 'A 201 carries a `Location` header with the URI of the new object.',
    fault: 'the create response lacks Location',
    needs: ['soft-type'],
    test: scenario(async ({ given, service, expect }) => {
      const body = given.body();
      const [first, second] = [await service.create(body), await service.create(body)];
      for (const reply of [first, second])
        given.succeeded(reply, 'an object is created', ['reading.create.status-201']);
      const locations = [expect(first).toCarry('location'), expect(second).toCarry('location')];
      expect(locations[0], 'Location of two creates with equal content').notToEqual(locations[1]);
    }),
  },
  'headers.location.leads-to-object': {
    level: 'must',
    source: 'core: Errors 201',
    statement: 'GET of the Location of a create answers 200 with the object created, at once.',
    fault: 'Location names the route without the object id',
    needs: ['soft-type', 'scalar-members'],
    after: ['headers.location.on-create'],
    test: scenario(async ({ given, service, expect, profile }) => {
      const [member] = profile.scalars;
      const bodies = Array.from({ length: 5 }, () => given.body({ [member]: given.unique() }));
      const replies = await Promise.all(bodies.map((body) => service.create(body)));
      for (const [index, created] of replies.entries()) {
        const location = given.present(created.headers['location'], 'a Location', ['headers.location.on-create']);
        const read = await service.get(location, { base: created });
        expect(read).toAnswer(200);
        expect(memberOf(read, 'data'), 'data behind the Location', read).toBeAnObject();
        expect(dataOf(read)[member], `${member} behind the Location`, read).toEqual(bodies[index]?.[member]);
        const header = created.headers[headerNames.version.toLowerCase()];
        if (header !== undefined) expect(String(versionOf(read)), 'version behind the Location', read).toEqual(header);
      }
    }),
  },
  'headers.uris.stay-on-gateway': {
    level: 'should',
    source: 'core: What the service does (clients talk only to the gateway)',
    statement: 'Location and every href lead to the base address that the client uses, not to a host behind it.',
    fault: 'href names the internal host and port',
    needs: ['soft-type', 'array-port'],
    test: scenario(async ({ given, service, expect, notes, profile }) => {
      const body = given.body();
      const created = await service.create(body);
      const owner = await given.objectWithEntries(11);
      const [read, page] = [await service.read(owner), await service.page(owner, 1)];
      const uris = {
        Location: [created.headers['location']],
        'href of an instance': [memberOf(read, 'href')],
        'href of a link': linksOf(read).map((link) => link['href']),
        'href of a page': [memberOf(page, 'href')],
      };
      const gateway = new URL(profile.all.baseUrl).origin;
      for (const [what, values] of Object.entries(uris))
        for (const value of values) {
          if (typeof value !== 'string') continue;
          notes.bound('uriForm', `form of ${what}`, /^[a-z]+:\/\//i.test(value) ? 'absolute' : 'path', read);
          expect(originOf(value, gateway), `origin of ${what}`, read).toEqual(gateway);
        }
    }),
  },
  'headers.information-filter.required-on-reads': {
    level: 'must',
    source: 'core: Common request headers, Svc-InformationFilter',
    statement: 'An instance GET or page GET without `Svc-InformationFilter` is refused.',
    fault: 'a missing filter is replaced by a default one',
    needs: ['soft-type', 'array-port'],
    test: scenario(async ({ given, service, expect, notes }) => {
      const owner = await given.objectWithEntries(11);
      for (const request of [
        service.requests.read(owner),
        service.requests.readLong(owner),
        service.requests.page(owner, 1),
      ]) {
        const refused = await service.send(request, { filter: null });
        expect(refused).notToSucceed();
        notes.bound('informationFilterMissing', 'status without information filter', refused.status, refused);
        expect(await service.send(request)).toAnswer(200);
      }
    }),
  },
  'headers.information-filter.required-on-writes': {
    level: 'must',
    source: 'core: Common request headers, Svc-InformationFilter',
    statement:
      'Create, merge, operations, PUT, promote, batch and multi-create without `Svc-InformationFilter` are refused and change nothing.',
    fault: 'the filter is asked for on GET only',
    needs: ['soft-type', 'scalar-members'],
    test: scenario(async (context) => {
      const { service, expect, notes } = context;
      for (const route of await findWorking(context, [...editRoutes(context), ...otherWrites(context)])) {
        const thing = await makeEditable(context);
        const before = await service.snapshot(thing);
        const refused = await service.send(route.request(thing), { filter: null });
        expect(refused).notToSucceed();
        expect(refused.headers['location'], `Location of a refused ${route.name}`, refused).toBeAbsent();
        notes.bound(
          'informationFilterMissing',
          `status of a ${route.name} without information filter`,
          refused.status,
          refused,
        );
        expect.unchanged(before, await service.snapshot(thing));
        expect(await service.send(route.request(thing))).toSucceed();
      }
    }),
  },
  'headers.information-filter.malformed': {
    level: 'observe',
    source: 'core: Information filter; Common request headers',
    statement:
      'The answer to a filter that is no Base64, no JSON, or a JSON value other than an object is not described, nor are unpadded or URL-safe Base64, unknown fields and an empty object.',
    needs: ['soft-type', 'scalar-members'],
    test: scenario(async (context) => {
      const { service, given, notes, profile } = context;
      const base64 = (value: unknown) =>
        Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
      const forms = {
        'no Base64': '%%%',
        'no JSON': base64('{no'),
        'a JSON array': base64([]),
        'a JSON text': base64('"text"'),
        'JSON null': base64('null'),
        'unpadded Base64': base64({ note: 'x' }).replace(/=+$/, ''),
        'URL-safe Base64': base64({ note: '???>>>' }).replaceAll('+', '-').replaceAll('/', '_'),
        'an unknown field': base64({ ...profile.all.informationFilter?.default, unknownToAll: 1 }),
        'an empty object': base64({}),
      };
      for (const [form, filter] of Object.entries(forms)) {
        const thing = await makeEditable(context);
        const read = await service.read(thing, { filter });
        const merge = await service.merge(thing, { [profile.scalars[0]]: given.unique() }, { filter });
        for (const [what, reply] of [
          ['read', read],
          ['merge', merge],
        ] as const) {
          const unreadable = form.startsWith('no ') || form.startsWith('a JSON') || form === 'JSON null';
          if (unreadable) notes.bound('informationFilterMalformed', `${what} with ${form}`, reply.status, reply);
          else notes.observe(`${what} with ${form}`, reply.status, reply);
          notes.remarkServerError(reply);
        }
      }
    }),
  },
  'headers.correlation-id.optional': {
    level: 'must',
    source: 'core: Common request headers, X-Correlation-Id',
    statement: 'Requests work without `X-Correlation-Id` and do the same with it.',
    fault: 'the OpenAPI document without correlation id answers 400',
    needs: ['soft-type', 'scalar-members'],
    test: scenario(async (context) => {
      const { service, expect, notes } = context;
      const guid = randomUUID();
      const document = { name: 'OpenAPI document', request: () => service.requests.openApi() };
      const isServed = (await service.send(document.request(), withCorrelationId(guid))).status === 200;
      const routes = [
        { name: 'read', request: service.requests.read },
        ...(isServed ? [document] : []),
        ...(await findWorking(context, [
          ...editRoutes(context).filter(({ name }) => name === 'merge PATCH'),
          ...otherWrites(context),
        ])),
      ];
      for (const route of routes) {
        const statuses = [];
        for (const id of [null, guid, guid]) {
          const reply = await service.send(route.request(await makeEditable(context)), withCorrelationId(id));
          expect(reply).toSucceed();
          statuses.push(reply.status);
          if (id !== null)
            notes.observe('the id is echoed', reply.headers[headerNames.correlationId.toLowerCase()] === id, reply);
        }
        expect(new Set(statuses).size, `different statuses of a ${route.name} with and without correlation id`).toEqual(
          1,
        );
      }
    }),
  },
  'headers.correlation-id.any-text': {
    level: 'should',
    source: 'core: Common request headers, X-Correlation-Id (a GUID is typical)',
    statement: 'A correlation id that is no GUID is accepted, since a GUID is only the typical form.',
    fault: 'parses the correlation id as GUID and refuses others',
    needs: ['soft-type'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const thing = await given.object();
      for (const id of ['a', 'x'.repeat(200), 'order-4711/part_2:retry.1;(a)=~!$*+|', '12345'])
        expect(await service.read(thing, withCorrelationId(id))).toAnswer(200);
    }),
  },
  'headers.correlation-id.reaches-extension': {
    level: 'must',
    source: 'core: Common request headers, X-Correlation-Id; Events',
    statement: 'The correlation id of a request is passed on to every external extension called because of it.',
    fault: 'the extension gets a new id for every call',
    needs: ['soft-type', 'extension-probe'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const extension = await given.extension();
      const [alone, one, other] = [randomUUID(), randomUUID(), randomUUID()];
      expect(await idThatReaches(context, extension, alone), 'correlation id that reached the extension').toEqual(
        alone,
      );
      const interleaved = await Promise.all([one, other].map((id) => idThatReaches(context, extension, id)));
      expect(interleaved, 'correlation ids of two triggers at once that reached the extension').toEqual([one, other]);
      if (canValidate(context)) await reachesOutOfBatch(context);
    }),
  },
  'headers.correlation-id.in-log-messages': {
    level: 'must',
    source: 'core: Common request headers, X-Correlation-Id',
    statement: 'All log messages of a request carry its correlation id when one was given.',
    fault: 'error entries lack the correlation id',
    needs: ['soft-type', 'scalar-members', 'log-probe'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const thing = await makeEditable(context);
      const body = { [profile.scalars[0]]: given.unique() };
      const requests: Record<string, RequestSpec> = {
        read: service.requests.read(thing),
        'refused edit': { ...service.requests.merge(thing, body), version: thing.version + 9 },
        edit: service.requests.merge(thing, body),
      };
      for (const [what, request] of Object.entries(requests)) await isLogged(context, what, request);
      expect(Object.keys(requests).length, 'requests looked up in the log').toEqual(3);
    }),
  },
  'headers.names.case-insensitive': {
    level: 'should',
    source: 'core: What the service does (over HTTP)',
    statement: 'Header names are matched without regard to case, as everywhere in HTTP.',
    fault: 'looks the version header up by its exact spelling',
    needs: ['soft-type', 'scalar-members'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const filter = Buffer.from(JSON.stringify(profile.all.informationFilter?.default ?? {})).toString('base64');
      const token = await service.token('editor');
      const spelled = (spell: (name: string) => string, thing: Thing) => ({
        as: null,
        filter: null,
        version: null,
        headers: {
          [spell('Authorization')]: `Bearer ${token}`,
          [spell(headerNames.informationFilter)]: filter,
          [spell(headerNames.version)]: String(thing.version),
        },
      });
      for (const spell of [lower, upper]) {
        const thing = await makeEditable(context);
        expect(await service.read(thing, spelled(spell, thing))).toAnswer(200);
        expect(await service.merge(thing, { [profile.scalars[0]]: given.unique() }, spelled(spell, thing))).toSucceed();
      }
    }),
  },
  'headers.no-content.empty-body': {
    level: 'must',
    source: 'core: Errors 204',
    statement: 'A 204 carries no content.',
    fault: 'sends the JSON text null with 204',
    needs: ['soft-type', 'scalar-members'],
    test: scenario(async (context) => {
      const { service, given, expect } = context;
      let seen = 0;
      for (const route of editRoutes(context)) {
        const raw = await service.raw(route.request(await makeEditable(context)));
        if (raw.status !== 204) continue;
        seen += 1;
        expect(raw.body.length, `bytes after the head of a 204 (${route.name})`, raw.reply).toEqual(0);
        expect(raw.headers['content-length'] ?? '0', `Content-Length of a 204 (${route.name})`, raw.reply).toEqual('0');
      }
      given.assume(seen > 0, 'a write that answers 204');
    }),
  },
  'headers.content-type.json-bodies': {
    level: 'must',
    source: 'core: What the service does (JSON payloads)',
    statement: 'Bodies of instance GET, page GET and batch are JSON in UTF-8, declared by a JSON media type.',
    fault: 'serves JSON as text/plain',
    needs: ['soft-type', 'array-port'],
    test: scenario(async ({ given, service, expect, notes, profile }) => {
      const text = 'naïve – 文字 – 😀';
      const owner = await given.objectWithEntries(11, { members: () => ({ [profile.port.text]: text }) });
      const replies = [await service.read(owner), await service.readLong(owner), await service.page(owner, 1)];
      const batch = await service.batch([{ method: 'GET', href: service.requests.read(owner).url }]);
      if (batch.status === 200) replies.push(batch);
      for (const reply of replies) {
        expect(reply.headers['content-type'], 'Content-Type', reply).toSatisfy('a JSON media type', (type) =>
          /^application\/(json|[^;\s]+\+json)\s*(;|$)/i.test(type ?? ''),
        );
        expect(reply.json, 'body', reply).toSatisfy('JSON', (body) => body !== undefined);
        notes.observe(
          'charset parameter',
          /charset=([^;]+)/i.exec(reply.headers['content-type'] ?? '')?.[1] ?? 'none',
          reply,
        );
      }
      const read = await service.read(owner);
      expect(textsOf(entriesOf(read, owner.port), owner.port)[0], 'text beyond ASCII', read).toEqual(text);
    }),
  },
  'headers.limits.rate': {
    level: 'observe',
    source: 'core: Limits (rate limits not shown)',
    statement: 'Rate limits of core routes and their signs are not described.',
    needs: ['soft-type'],
    test: scenario(async ({ given, service, notes }) => {
      const thing = await given.object();
      const replies = await Promise.all(Array.from({ length: 20 }, () => service.read(thing)));
      const limited = replies.filter(({ status }) => status === 503);
      notes.observe('answers 503 to 20 reads at once', limited.length, limited[0]);
      const waits = service.patience();
      notes.observe(
        'Retry-After of an answer 429 or 503',
        waits.at(-1)?.retryAfter ?? limited[0]?.headers['retry-after'] ?? 'none',
        limited[0],
      );
      notes.observe('waits that the run was asked for so far', waits.length);
    }),
  },
});

/** The lines of the service log that match, as soon as there are some: a log may be written a moment after the answer. */
export async function linesOfLog(profile: Profile, matches: (line: string) => boolean): Promise<readonly string[]> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const lines = (await logText(profile)).split('\n').filter(matches);
    if (lines.length > 0) return lines;
    await sleep(pauseMs);
  }
  return [];
}

async function logText(profile: Profile): Promise<string> {
  const { url, file, token } = profile.probes?.log ?? {};
  if (file !== undefined) return readFile(file, 'utf8');
  if (url === undefined) throw new PreconditionFailed('probes.log.url or probes.log.file in the profile');
  const address = new URL(url.replaceAll('{correlationId}', ''), profile.baseUrl);
  const { statusCode, body } = await request(address, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const text = await body.text();
  if (statusCode !== 200)
    throw new PreconditionFailed(
      `the service log at ${address.href}, which answered ${statusCode}; check probes.log in the profile`,
    );
  return text;
}

/**
 * Every line of the log that belongs to the request carries its id. Which lines belong to it shows by the object and a marker
 * in the query, which the service has no reason to write into lines of other requests.
 */
async function isLogged(
  { given, service, expect, profile }: CaseContext,
  what: string,
  request: RequestSpec,
): Promise<void> {
  const id = randomUUID();
  const marker = given.unique('log');
  const reply: Reply = await service.send({ ...request, url: `${request.url}?${marker}=1` }, withCorrelationId(id));
  const lines = await linesOfLog(profile.all, (line) => line.includes(id) || line.includes(marker));
  expect(lines.filter((line) => line.includes(id)).length, `log lines with the id of a ${what}`, reply).toSatisfy(
    'at least one',
    (count) => count > 0,
  );
  expect(
    lines.filter((line) => !line.includes(id)),
    `log lines of a ${what} without its id`,
    reply,
  ).toEqual([]);
}

function originOf(uri: string, base: string): string {
  const expanded = uri.replace('{pageNumber}', '0');
  return URL.canParse(expanded, base) ? new URL(expanded, base).origin : `no URI: ${uri}`;
}

function lower(name: string): string {
  return name.toLowerCase();
}

function upper(name: string): string {
  return name.toUpperCase();
}

async function idThatReaches({ triggers }: CaseContext, extension: Extension, id: string): Promise<string | undefined> {
  const triggered = await triggers.event(extension, undefined, withCorrelationId(id));
  return (await extension.call({ kind: 'event', about: triggered })).envelope.id;
}

/** A promote in a batch calls the extension that validates the object, where a promote is what the profile validates by. */
async function reachesOutOfBatch(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const thing = await given.object();
  const extension = await given.extension({ types: ['ExternalValidation'], concerns: [thing] });
  const id = randomUUID();
  const reply = await sendBatch(context, [service.requests.promote(thing)], withCorrelationId(id));
  const [call] = extension.calls({ objectId: thing.oid });
  notes.observe('a promote in a batch is validated', call !== undefined, reply);
  if (call !== undefined)
    expect(call.envelope.id, 'correlation id of a batch that reached the extension', reply).toEqual(id);
}

function canValidate({ profile }: CaseContext): boolean {
  const { maturity, triggers, routes } = profile.all;
  return maturity !== undefined && triggers?.validation !== undefined && routes?.registrationDelete !== undefined;
}

/** The header is the version that reads next, and the next write with it is accepted without reading. */
async function tellsNewVersion(
  { given, service, expect }: CaseContext,
  thing: Thing,
  edit: (thing: Thing) => RequestSpec,
): Promise<void> {
  const reply = await service.send(edit(thing));
  given.succeeded(reply, 'an edit with the current version is accepted');
  const header = expect(reply).toCarry(headerNames.version);
  const read = await service.read(thing);
  given.assume(dataOf(read)['$oid'] === thing.oid, 'the object is readable');
  expect(header, `version header of an edit at version ${thing.version}`, reply).toEqual(String(versionOf(read)));
  const next = await service.send(edit({ ...thing, version: Number(header) }));
  expect(next).toSucceed();
}

function versionHeader(reply: Reply): string | undefined {
  return reply.headers[headerNames.version.toLowerCase()];
}
