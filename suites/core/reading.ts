import { softTypesOf } from '../../judge/service/soft-types.ts';
import { assertRead, dataOf, memberOf, plainTextOf, versionOf } from '../../judge/service/answers.ts';
import { isSameId } from '../../judge/service/guid.ts';
import { isObject, pointer } from '../../judge/json.ts';
import { type CaseContext, onEverySpace, onEveryType, scenario, unlessKept } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import type { SoftTypeProfile } from '../../contract/profile.ts';
import { rules } from '../../judge/rule.ts';
import { createdOtherwise } from './checks/created-otherwise.ts';
import { lookAfterEachChange } from './checks/each-change.ts';
import { replace } from './checks/operation-steps.ts';
import { expectNotInSecondSpace } from './checks/paths-of-spaces.ts';
import { readersOf } from './checks/readers.ts';
import { expectShapedAtOnce } from './checks/reads-at-once.ts';
import {
  expectCurrentThrough,
  expectShapedForReaders,
  expectShapedThoughFiltered,
  expectSmallValuesThrough,
  hasValue,
  isLeftOut,
  expectOtherTypesShaped,
} from './checks/second-schema.ts';
import { contentIn, readEveryWay, waysToRead } from './checks/ways-to-read.ts';
import { expectSameContent, makeTelling } from './checks/telling-object.ts';
import { expectSameForUsualClients } from './checks/usual-clients.ts';

export const readingRules = rules('reading', {
  'reading.instance.short-route-served': {
    source: 'core: Endpoint table, GET softtype, first form',
    statement: 'GET `/api/space/{spaceId}/softtype/{objectId}` answers 200 with the read response of that object.',
    fault: 'the short route answers 404 while the long one works',
    needs: ['soft-type'],
    test: scenario(async ({ given, service, expect }) => {
      const things = [await given.object(), await given.object()];
      for (const thing of things) {
        const read = await service.readShort(thing);
        expect(read).toAnswer(200);
        expect(dataOf(read)['$oid'], '$oid', read).toEqual(thing.oid);
        expect(await service.readShort({ ...thing, oid: given.unknownOid(thing) })).notToSucceed();
      }
    }),
  },
  'reading.instance.long-route-served': {
    source: 'core: Endpoint table, GET softtype, second form',
    statement:
      'GET `/api/space/{spaceId}/softtype/{definitionId}/{outputSchemaId}/{objectId}` answers 200 with the same object and version as the short route.',
    fault: 'the long route serves the state of one version earlier after a merge edit',
    needs: ['soft-type', 'text-member'],
    test: onEveryType(
      scenario(async (context) => {
        const { given, service, expect, profile } = context;
        const thing = await given.object();
        await lookAfterEachChange(context, thing, async (when) => {
          const longs = [await service.readLong(thing), await service.readLong(thing)];
          const short = await service.readShort(thing);
          for (const long of longs) {
            expect(long).toAnswer(200);
            expect(dataOf(long)['$oid'], `$oid by the long route ${when}`, long).toEqual(dataOf(short)['$oid']);
            expect(versionOf(long), `version by the long route ${when}`, long).toEqual(versionOf(short));
          }
        });
        if (profile.primary.arrayPort === undefined) return;
        const telling = await makeTelling(context, 2);
        const { id } = telling.type.secondOutputSchema ?? {};
        const longs = [
          await service.readLong(telling),
          ...(id === undefined ? [] : [await service.readLong(telling, { outputSchemaId: id })]),
        ];
        const short = await service.readShort(telling);
        for (const long of longs) expectSameContent(context, long, short, 'the long route');
        await expectSameForUsualClients(context);
      }),
    ),
  },
  'reading.body.href-leads-back': {
    source: 'core: SoftType read response, href',
    statement:
      'The read response holds `href`, a string, and GET of that URI returns the same instance, whichever way, by whom and in which space it was read, however it was made and whatever was done to it.',
    fault: 'href names the route of the collection of objects instead of the instance',
    needs: ['soft-type'],
    after: ['reading.instance.long-route-served'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service } = context;
        for (const thing of [await given.object(), await given.object()]) {
          const read = await service.read(thing);
          given.assume(dataOf(read)['$oid'] === thing.oid, 'a read of the object with its $oid');
          await expectLedBack(context, thing, { href: memberOf(read, 'href'), base: read, by: 'a read', as: 'editor' });
        }
        const thing = await given.edited(await given.object());
        const known = new Set<unknown>();
        for (const { body, as, by, reply } of await readEveryWay(context, thing)) {
          const { href } = body;
          if (!known.has(`${as} ${String(href)}`)) await expectLedBack(context, thing, { href, base: reply, by, as });
          known.add(`${as} ${String(href)}`);
        }
        await expectLedBackAnyhow(context);
      }),
    ),
  },
  'reading.body.data-is-object': {
    source: 'core: SoftType read response, data',
    statement:
      'The read response holds the content in `data`, which is a JSON object (never an array, a string or null).',
    fault: 'wraps the content in an array of one object',
    needs: ['soft-type', 'text-member'],
    test: scenario(async ({ given, service, expect, profile }) => {
      const member = profile.textMember;
      const things: Thing[] = [await given.object({ [member]: given.unique() })];
      if (profile.primary.arrayPort !== undefined)
        things.push(await given.objectWithEntries(1, { body: { [member]: given.unique() } }));
      for (const thing of things) {
        const read = await service.read(thing);
        assertRead(read);
        const data = memberOf(read, 'data');
        expect(data, 'data', read).toBeAnObject();
        expect(isObject(data) ? data[member] : undefined, `${member} inside data`, read).toEqual(thing.body[member]);
      }
    }),
  },
  'reading.body.version-is-integer': {
    source: 'core: SoftType read response, version',
    statement:
      'The read response, whichever way it is asked for, holds `version` as a JSON number without fraction, however it is spelled, not as a string.',
    fault: 'serialises version as the string "1"',
    needs: ['soft-type', 'text-member'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const thing = await given.object();
      for (const { by, body, reply } of await readEveryWay(context, thing))
        expect(body['version'], `version by ${by}`, reply).toBeAnInteger();
      for (const at of [thing, await given.edited(thing)]) {
        const read = await service.read(at);
        expect(versionOf(read), 'version', read).toBeAnInteger();
        const members = [...read.text.matchAll(/("(?:[^"\\]|\\.)*")\s*:\s*([^,}\s]+)/g)];
        const tokens = members.filter(([, name = '""']) => JSON.parse(name) === 'version').map(([, , token]) => token);
        // 2.0 and 2e0 are the same number
        notes.observe('version stands in the text as plain digits', tokens.includes(String(versionOf(read))), read);
      }
    }),
  },
  'reading.body.links-is-array': {
    source: 'core: SoftType read response, links',
    statement: 'The read response holds `links` as an array whose items are objects.',
    fault: 'leaves links out when there is no page link',
    needs: ['soft-type', 'array-port'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      for (const count of [0, 11]) {
        const owner = await given.objectWithEntries(count);
        for (const { by, body, reply } of await readEveryWay(context, owner))
          expect(body['links'], `links by ${by}`, reply).toBeAnArray();
        for (const as of readersOf(profile)) {
          const instance = await service.read(owner, { as });
          assertRead(instance);
          expect.asKnown(
            { instance },
            { envelope: true },
            {
              rules: ['reading.body.links-is-array'],
              of: `an array of ${count} for the ${as}`,
            },
          );
        }
      }
    }),
  },
  'reading.body.schema-is-object': {
    source: 'core: SoftType read response, schema',
    statement:
      'The read response holds `schema` as a JSON object; a JSON Schema that names members of the instance by itself names all that the profile knows and `data` holds.',
    fault: 'returns schema as a string with the schema id',
    needs: ['soft-type'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const { scalars = [], arrayPort } = profile.primary;
      const make = () =>
        given.object({
          ...Object.fromEntries(scalars.map((member) => [member, given.unique()])),
          ...(arrayPort && { [arrayPort.member]: [given.entry(given.unique())] }),
        });
      const thing = await make();
      for (const answer of await readEveryWay(context, thing))
        expectSchemaNamesHeld(context, answer.body['schema'], contentIn(answer), answer);
      // nor is what was read first, through a schema that shows less, told of by the other one
      const { secondOutputSchema } = profile.primary;
      if (secondOutputSchema !== undefined) {
        const fresh = await make();
        await service.readLong(fresh, { outputSchemaId: secondOutputSchema.id });
        const reply = await service.readLong(fresh);
        const by = 'the first schema behind the second';
        expectSchemaNamesHeld(context, memberOf(reply, 'schema'), dataOf(reply), { by, reply });
      }
      for (const read of [await service.read(thing), await service.readLong(thing)]) {
        assertRead(read);
        const schema = memberOf(read, 'schema');
        expect(schema, 'schema', read).toBeAnObject();
        notes.observe(
          'keys of schema',
          Object.keys(schema ?? {})
            .sort()
            .join(', '),
          read,
        );
      }
      for (const other of await objectsOfSecondType(context)) expectOwnNamed(context, await service.read(other));
    }),
  },
  'reading.system.version-matches-top-level': {
    source: 'core: System properties, $version; Versioning 1',
    statement: '`data.$version` is an integer equal to the top-level `version` of the same response.',
    fault: '$version stays at 1 while version counts up',
    needs: ['soft-type', 'text-member'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const member = profile.textMember;
      let thing = await given.object({ [member]: given.unique() });
      const same = async (when: string) => {
        const read = await service.read(thing);
        expect(dataOf(read)['$version'], `$version ${when}`, read).toBeAnInteger();
        given.assume(Number.isInteger(versionOf(read)), 'an integer as version at the top level');
        expect.asKnown(
          { instance: read },
          {},
          {
            rules: ['reading.system.version-matches-top-level'],
            of: `an object ${when}`,
          },
        );
      };
      await same('when created');
      thing = await given.edited(thing);
      await same('after a merge edit');
      if (profile.offers('operations')) {
        const operations = [replace(pointer(member), given.unique())];
        given.succeeded(await service.operations(thing, operations), 'an operations edit is accepted', [
          'patch.content-type.selects-operations',
        ]);
        await same('after an operations edit');
      }
      await service.merge(thing, { [member]: given.unique() }, { version: 0 });
      await same('after a refused edit');
      for (const object of [thing, ...(await objectsOfSecondType(context))])
        for (const answer of await readEveryWay(context, object))
          expect(contentIn(answer)['$version'], `$version by ${answer.by}`, answer.reply).toEqual(
            answer.body['version'],
          );
      const changing = await given.object();
      await lookAfterEachChange(context, changing, async (when) => {
        const read = await service.read(changing);
        expect(dataOf(read)['$version'], `$version ${when}`, read).toEqual(versionOf(read));
      });
    }),
  },
  'reading.system.oid-matches-route': {
    source: 'core: System properties, $oid',
    statement:
      '`data.$oid` is a string, is the `{objectId}` by which the short route finds the object, and stays the same when the object is edited.',
    fault: 'issues a new $oid with every merge edit',
    needs: ['soft-type', 'text-member'],
    after: ['reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const thing = await given.object();
      const located = await service.get(thing.location);
      const oid = dataOf(located)['$oid'];
      expect(oid, '$oid', located).toBeAString();
      const read = await service.readShort({ ...thing, oid: String(oid) });
      expect(read).toAnswer(200);
      expect(dataOf(read)['$oid'], '$oid by the short route', read).toEqual(oid);
      const edited = await service.readShort(await given.edited(thing));
      expect(dataOf(edited)['$oid'], '$oid after an edit', edited).toEqual(oid);
      for (const object of [{ ...thing, oid: String(oid) }, ...(await objectsOfSecondType(context))])
        for (const answer of await readEveryWay(context, object))
          expect(contentIn(answer)['$oid'], `$oid by ${answer.by}`, answer.reply).toEqual(object.oid);
    }),
  },
  'reading.system.soft-type-names-definition': {
    source: 'core: System properties, $softType',
    statement:
      '`data.$softType` is a string that identifies the SoftType definition the object was created from, by whichever schema it is read.',
    fault: 'writes the id of the first configured SoftType into every object',
    needs: ['soft-type', 'second-soft-type'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const seen = [];
      for (const type of [profile.primary, profile.second]) {
        const thing = await given.object({}, { type });
        const read = await service.read(thing);
        expect(dataOf(read)['$softType'], '$softType', read).toEqual(type.definitionId);
        seen.push(dataOf(read)['$softType']);
        for (const answer of await readEveryWay(context, thing))
          expect(contentIn(answer)['$softType'], `$softType by ${answer.by}`, answer.reply).toEqual(type.definitionId);
      }
      expect(seen[0], '$softType of two SoftTypes').notToEqual(seen[1]);
      for (const type of softTypesOf(profile.all))
        if (!seen.includes(type.definitionId))
          await unlessKept(async () => {
            const read = await service.read(await given.object({}, { type }));
            expect(dataOf(read)['$softType'], '$softType', read).toEqual(type.definitionId);
          }, context);
    }),
  },
  'reading.output-schema.shapes-data': {
    source: 'core: SoftType read response, data; Endpoint table, GET softtype, second form',
    statement:
      'The output schema named in the route decides the shape of `data`, for every SoftType and role, filtered or not, whatever is read at the same moment, and not what value a member has, be that zero or false.',
    fault: 'ignores the output schema segment and always applies the first one',
    needs: ['soft-type', 'second-output-schema'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const other = given.present(profile.primary.secondOutputSchema, 'secondOutputSchema in the profile');
      const content = everyMember(given, [...other.shows, ...other.lacks], profile);
      const thing = await given.object(content);
      const valued = new Set(Object.keys(thing.body));
      const [first, second] = [
        await service.readLong(thing),
        await service.readLong(thing, { outputSchemaId: other.id }),
      ];
      expect(second).toAnswer(200);
      const telling = other.lacks.filter((member) => valued.has(member));
      if (telling.length === 0)
        return given.inconclusive(
          'No member of secondOutputSchema.lacks is one that the suite can fill: name a scalar, the object or the array port there.',
        );
      for (const member of telling) {
        expect(dataOf(first)[member], `${member} through the first schema`, first).toSatisfy('there', hasValue);
        expect(dataOf(second)[member], `${member} through the second schema`, second).toSatisfy('left out', isLeftOut);
      }
      for (const member of other.shows.filter((name) => valued.has(name)))
        expect(dataOf(second)[member], `${member} through the second schema`, second).toSatisfy('there', hasValue);
      expect(dataOf(second)['$oid'], '$oid through the second schema', second).toEqual(dataOf(first)['$oid']);
      expect(versionOf(second), 'version through the second schema', second).toEqual(versionOf(first));
      for (const member of profile.primary.scalars ?? []) {
        // also where the second schema shows nothing of what the edit changed
        const edit = await service.merge(await given.current(thing), { [member]: given.unique() });
        given.succeeded(edit, `an edit of ${member}`, ['patch.merge.status-204']);
        const [whole, part] = [
          await service.readLong(thing),
          await service.readLong(thing, { outputSchemaId: other.id }),
        ];
        const seen = { version: versionOf(part), $version: dataOf(part)['$version'] };
        const expected = { version: versionOf(whole), $version: dataOf(whole)['$version'] };
        expect(seen, `versions through the second schema after an edit of ${member}`, part).toEqual(expected);
      }
      await expectShapedAtOnce(context, thing, other, telling);
      await expectShapedForReaders(context, thing, other, telling);
      await expectShapedThoughFiltered(context, thing, other, telling);
      await expectSmallValuesThrough(context, other);
      await expectCurrentThrough(context, other);
      await expectOtherTypesShaped(context);
    }),
  },
  'reading.missing-object.status-404': {
    source: 'core: Errors 404',
    statement:
      'GET of an object id that does not exist in a space the caller may read answers 404; an id with a character more or less than that of an object does not lead to that object, nor does its own id in another space, where the same user may do what he may here, whatever is asked for.',
    fault: 'answers 200 with an empty data object by the long route',
    needs: ['soft-type', 'array-port'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const owner = await given.objectWithEntries(1);
      const missing = { ...owner, oid: given.unknownOid(owner) };
      expect(await service.readShort(missing)).toAnswer(404);
      expect(await service.readLong(missing)).toAnswer(404);
      expect(await service.page(missing, 0)).toAnswer(404);
      const served = waysToRead(context, owner);
      for (const [index, { request, isFiltered, isReshaped }] of waysToRead(context, missing).entries())
        for (const as of readersOf(profile)) {
          const isKnown = as === 'editor' && !isFiltered && !isReshaped;
          const known = isKnown ? undefined : served[index]?.request;
          // what a way needs besides is judged elsewhere
          if (known !== undefined && (await service.send(known, { as })).status === 200)
            expect(await service.send(request, { as })).toAnswer(404);
        }
      await expectNotInSecondSpace(context, owner);
      const near = [`${owner.oid}0`, owner.oid.slice(0, -1)].filter((oid) => !isSameId(oid, owner.oid));
      for (const oid of near.filter((each) => each !== '')) {
        const reply = await service.readShort({ ...owner, oid });
        const found = reply.status === 200 ? dataOf(reply)['$oid'] : undefined;
        expect(found, `object found under ${oid}`, reply).notToEqual(owner.oid);
      }
      given.succeeded(await service.readShort(owner), 'the short route serves the id that exists', [
        'reading.instance.short-route-served',
      ]);
      given.succeeded(await service.readLong(owner), 'the long route serves the id that exists', [
        'reading.instance.long-route-served',
      ]);
      given.succeeded(await service.page(owner, 0), 'the page route serves the id that exists', [
        'paging.page.documented-route-served',
      ]);
    }),
  },
  'reading.missing-neighbours.status': {
    level: 'observe',
    source: 'core: Errors 404; Endpoint table',
    statement:
      'It is not described what an existing object id answers under an unknown space, an unknown definition, the definition of another SoftType, or an unknown output schema.',
    needs: ['soft-type', 'second-soft-type'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const marker = given.unique('marker');
      const [scalar] = profile.primary.scalars ?? [];
      const thing = await given.object(scalar === undefined ? {} : { [scalar]: marker });
      const requests = {
        'an unknown space': service.requests.read({ ...thing, space: given.unique('no-space') }),
        'an unknown definition': service.requests.readLong({
          ...thing,
          type: { ...thing.type, definitionId: given.unique('no-type') },
        }),
        'the definition of another SoftType': service.requests.readLong({ ...thing, type: profile.second }),
        'an unknown output schema': service.requests.readLong(thing, given.unique('no-schema')),
      };
      const keys: Partial<Record<string, 'unknownSpace' | 'unknownSoftTypeInPath'>> = {
        'an unknown space': 'unknownSpace',
        'an unknown definition': 'unknownSoftTypeInPath',
      };
      for (const [what, request] of Object.entries(requests)) {
        const reply = await service.send(request);
        notes.bound(keys[what] ?? 'mismatchedRoute', `a read under ${what}`, reply.status, reply);
        // an id may be made of a text of its object
        if (plainTextOf(reply).includes(marker) && !request.url.includes(marker))
          notes.remark(`A read under ${what} discloses data of the object.`, reply);
        notes.remarkServerError(reply);
      }
    }),
  },
  'reading.path.letter-case': {
    level: 'observe',
    source: 'core: Endpoint table (softtype); What the service does (SoftType)',
    statement:
      'The document spells the path segment in two ways, `softtype` and `SoftType`; whether paths are case-sensitive is not said.',
    needs: ['soft-type'],
    test: scenario(async ({ given, service, notes }) => {
      const thing = await given.object();
      const { url } = service.requests.read(thing);
      for (const spelling of ['softtype', 'SoftType']) {
        const reply = await service.get(url.replace(/\/softtype\//i, `/${spelling}/`));
        notes.observe(`a read with ${spelling} in the path`, reply.status, reply);
      }
    }),
  },
  'reading.error.body-shape': {
    level: 'observe',
    source: 'core: Errors 4',
    statement: 'The body of error responses of core routes is not described.',
    needs: ['soft-type'],
    test: scenario(async ({ given, service, notes, profile }) => {
      const thing = await given.object();
      const body = {};
      const refusals = [
        await service.read(thing, { as: null }),
        await service.read({ ...thing, oid: given.unknownOid(thing) }),
        await service.merge(thing, body, { version: thing.version + 5 }),
        await service.merge(thing, body, { version: null }),
        ...(profile.all.identities.reader === undefined ? [] : [await service.merge(thing, body, { as: 'reader' })]),
      ];
      for (const reply of refusals) {
        const type = reply.headers['content-type']?.split(';')[0] ?? 'none';
        notes.bound('errorMediaType', `media type of a ${reply.status}`, type, reply);
        const keys =
          typeof reply.json === 'object' && reply.json !== null
            ? Object.keys(reply.json).sort().join(', ')
            : typeof reply.json;
        notes.observe(`keys of the body of a ${reply.status}`, keys, reply);
      }
      // that of a merge and of a PUT has as many segments, and refuses a schema that it does not know
      const request = { ...service.requests.read(thing), method: 'POST', body };
      const reply = await service.send(request);
      if (reply.status >= 400)
        notes.bound('methodNotAllowed', 'a method that the route does not have', reply.status, reply);
      notes.observe('Allow of it', reply.headers['allow'] ?? 'none', reply);
    }),
  },
});

/** An object of the second definition, where there is one, whose schemas may show less of it. */
async function objectsOfSecondType({ given, profile }: CaseContext): Promise<readonly Thing[]> {
  const type = profile.all.softTypes?.second;
  return type === undefined ? [] : [await given.object({}, { type })];
}

interface Led {
  readonly href: unknown;
  readonly base: Reply;
  /** How it was read. */
  readonly by: string;
  readonly as: 'editor' | 'reader';
}

/** The href of a read leads to the object, be it made by another route, and after each way in which an object changes. */
async function expectLedBackAnyhow(context: CaseContext): Promise<void> {
  const { given, service } = context;
  const lookAt = async (thing: Thing, by: string): Promise<void> => {
    const read = await service.read(thing);
    const href = memberOf(read, 'href');
    await expectLedBack(context, thing, { href, base: read, by: `a read of an object ${by}`, as: 'editor' });
  };
  for (const { by, thing } of await createdOtherwise(context)) await lookAt(thing, `made by ${by}`);
  const thing = await given.object();
  await lookAfterEachChange(context, thing, (when) => lookAt(thing, when));
}

/** The href of a read leads whoever read it to the same object at the same version. */
async function expectLedBack(
  { service, expect }: CaseContext,
  { oid }: Thing,
  { href, base, by, as }: Led,
): Promise<void> {
  expect(href, `href of ${by}`, base).toBeAString();
  const again = await service.get(String(href), { base, as });
  expect(again).toAnswer(200);
  expect(memberOf(again, 'data'), `data behind the href of ${by}`, again).toBeAnObject();
  expect(dataOf(again)['$oid'], `$oid behind the href of ${by}`, again).toEqual(oid);
  const { version } = isObject(base.json) ? base.json : {};
  if (version !== undefined) expect(versionOf(again), `version behind the href of ${by}`, again).toEqual(version);
}

/** A value for each of these members as far as the profile knows how one looks: scalars, the object, the array. */
function everyMember(
  given: CaseContext['given'],
  members: readonly string[],
  profile: CaseContext['profile'],
): Record<string, unknown> {
  const { arrayPort, object } = profile.primary;
  const value = (member: string): unknown => {
    if (member === arrayPort?.member) return [given.entry(given.unique())];
    if (member === object?.member) return given.inner(object);
    return profile.primary.scalars?.includes(member) ? given.unique() : undefined;
  };
  return Object.fromEntries(
    members.map((member) => [member, value(member)]).filter(([, content]) => content !== undefined),
  );
}

/** A schema that names members of `data` by itself names all of them that the profile knows. */
function expectSchemaNamesHeld(
  { expect, profile }: CaseContext,
  schema: unknown,
  content: Readonly<Record<string, unknown>>,
  { by, reply }: { readonly by: string; readonly reply: Reply },
): void {
  expect(schema, `schema by ${by}`, reply).toBeAnObject();
  const named = namedIn(schema);
  const held = membersOf(profile.primary).filter((member) => Object.hasOwn(content, member));
  const left = held.some((member) => named.has(member)) ? held.filter((member) => !named.has(member)) : [];
  expect(left, `members of data that a schema of such members leaves out by ${by}`, reply).toEqual([]);
}

/** Nor does a schema name members of the primary SoftType in the place of those that the instance has. */
function expectOwnNamed({ expect, profile }: CaseContext, read: Reply): void {
  const named = namedIn(memberOf(read, 'schema'));
  const own = Object.keys(dataOf(read)).filter((name) => !name.startsWith('$'));
  const others = membersOf(profile.primary).filter((member) => named.has(member) && !own.includes(member));
  const foreign = own.some((name) => named.has(name)) ? [] : others;
  expect(foreign, 'members of another SoftType that a schema names, and none of its own', read).toEqual([]);
}

/** Members that a JSON Schema names; none where it leaves some to other schemas. In a language of its own a schema may tell of any part of an instance. */
function namedIn(schema: unknown): ReadonlySet<string> {
  if (!isObject(schema) || keywordsOfOthers.some((keyword) => keyword in schema)) return new Set();
  const { properties } = schema;
  return new Set(isObject(properties) ? Object.keys(properties) : []);
}

const keywordsOfOthers = ['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'extends'];

/** Members of the root that the profile knows by their name in reads. */
function membersOf({ scalars = [], object, arrayPort, secondArrayPort }: SoftTypeProfile): readonly string[] {
  return [...scalars, object?.member, arrayPort?.member, secondArrayPort?.member].filter((name) => name !== undefined);
}
