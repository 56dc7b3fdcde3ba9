import { array, constantFrom, record } from 'fast-check';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/given.ts';
import { dataOf, isObject, linksOf, versionOf } from '../../judge/answer.ts';
import { unescaped } from '../../judge/unescaped.ts';
import { editable } from '../../judge/writes.ts';
import { bodyOf, edit, passed, sendBatch, staleEdit, statusesOf } from './words.ts';

export const resultCases = {
  'batch.result.one-per-operation': property(
    record({ length: constantFrom(1, 2, 10), failing: constantFrom('none', 'first', 'middle', 'last') }),
    async (context, { length, failing }) => {
      const { expect } = context;
      const things = await Promise.all(Array.from({ length }, () => editable(context)));
      const at = { none: -1, first: 0, middle: Math.floor(length / 2), last: length - 1 }[failing];
      const reply = await sendBatch(
        context,
        things.map((thing, index) => (index === at ? staleEdit(context, thing) : edit(context, thing))),
      );
      expect(reply.json, `body of a batch of ${length}`, reply).toBeAnArray();
      expect(
        Array.isArray(reply.json) ? reply.json.length : -1,
        `results of a batch of ${length} with ${failing} failing`,
        reply,
      ).toEqual(length);
    },
    {
      always: [
        { length: 2, failing: 'none' },
        { length: 10, failing: 'first' },
        { length: 10, failing: 'middle' },
      ],
      share: 0.2,
    },
  ),

  'batch.result.keeps-order': property(
    array(constantFrom<Kind>('read', 'create', 'edit'), { minLength: 2, maxLength: 6 }),
    async (context, kinds) => {
      const things = await Promise.all(kinds.map(() => editable(context)));
      const requests = kinds.map((kind, index) =>
        requestOf(context, kind, context.given.present(things[index], 'an object')),
      );
      const reply = await sendBatch(context, requests);
      for (const [index, result] of passed(context, reply).entries()) {
        const thing = context.given.present(things[index], 'an object');
        const body = bodyOf(result);
        const kind = kinds[index];
        if (kind === 'read')
          context
            .expect(
              isObject(body['data']) ? body['data']['$oid'] : undefined,
              `$oid of the read at place ${index}`,
              reply,
            )
            .toEqual(thing.oid);
        if (kind === 'create')
          context.expect(result['statusCode'], `statusCode of the create at place ${index}`, reply).toEqual(201);
        if (kind === 'edit')
          context.expect(body['version'], `version of the edit at place ${index}`, reply).toEqual(thing.version + 1);
      }
      const failing = await sendBatch(context, [
        edit(context, await editable(context)),
        staleEdit(context, await editable(context)),
        context.service.requests.read(await editable(context)),
      ]);
      context.expect(statusesOf(failing)[1], 'statusCode at the place of the failing operation', failing).toEqual(409);
    },
    { always: [['edit', 'read', 'create', 'read', 'edit']], share: 0.2 },
  ),

  'batch.result.status-code-is-integer': scenario(async (context) => {
    const { given, service, expect } = context;
    const requests = [
      service.requests.read(await editable(context)),
      service.requests.create(given.body()),
      edit(context, await editable(context)),
    ];
    const reply = await sendBatch(context, requests);
    passed(context, reply);
    for (const [index, code] of [200, 201, 204].entries()) {
      expect(statusesOf(reply)[index], `statusCode at place ${index}`, reply).toBeAnInteger();
      expect(statusesOf(reply)[index], `statusCode at place ${index}`, reply).toEqual(code);
    }
  }),

  'batch.result.create-href': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [member] = profile.scalars;
    const bodies = Array.from({ length: 3 }, () => given.body({ [member]: given.unique() }));
    const reply = await sendBatch(
      context,
      bodies.map((body) => service.requests.create(body)),
    );
    const hrefs = passed(context, reply).map((result) => bodyOf(result)['href']);
    expect(new Set(hrefs).size, 'different href values of three creates', reply).toEqual(3);
    for (const [index, href] of hrefs.entries()) {
      expect(href, `href at place ${index}`, reply).toBeAString();
      const read = await service.get(String(href), { base: reply });
      expect(read).toAnswer(200);
      expect(dataOf(read)[member], `${member} behind the href at place ${index}`, read).toEqual(
        bodies[index]?.[member],
      );
    }
  }),

  'batch.result.version-in-body': scenario(async (context) => {
    const { given, service, expect } = context;
    const things = [await editable(context), await given.edited(await editable(context), 3)];
    const reply = await sendBatch(context, [
      service.requests.create(given.body()),
      ...things.map((thing) => edit(context, thing)),
    ]);
    const [created, ...edited] = passed(context, reply).map(bodyOf);
    expect(created?.['version'], 'version of the create', reply).toBeAnInteger();
    const read = await service.get(String(created?.['href']), { base: reply });
    if (read.status === 200) expect(created?.['version'], 'version of the create', reply).toEqual(versionOf(read));
    for (const [index, thing] of things.entries()) {
      expect(edited[index]?.['version'], `version of an edit at ${thing.version}`, reply).toEqual(thing.version + 1);
      expect(versionOf(await service.read(thing)), 'version that reads afterwards', reply).toEqual(thing.version + 1);
    }
  }),

  'batch.result.create-carries-no-data': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const marker = given.unique('marker');
    const reply = await sendBatch(context, [service.requests.create(given.body({ [profile.scalars[0]]: marker }))]);
    const [result] = passed(context, reply);
    expect(JSON.stringify(result).includes(marker), 'the result of a create holds the created content', reply).toEqual(
      false,
    );
    for (const member of ['data', 'links'])
      expect(bodyOf(result)[member] ?? null, `${member} of the result of a create`, reply).toEqual(null);
    const read = await service.get(String(bodyOf(result)['href']), { base: reply });
    expect(unescaped(read).includes(marker), 'the read that follows holds the created content', read).toEqual(true);
  }),

  'batch.get.returns-read-response': scenario(async (context) => {
    const { given, service, expect } = context;
    const owner = await given.objectWithEntries(11);
    const alone = await service.read(owner);
    const reply = await sendBatch(context, [service.requests.read(owner)]);
    const [result] = passed(context, reply);
    const body = bodyOf(result);
    expect(result?.['statusCode'], 'statusCode of a read', reply).toEqual(200);
    expect(body['version'], 'version of a read in a batch', reply).toEqual(versionOf(alone));
    expect(body['schema'], 'schema of a read in a batch', reply).toBeAnObject();
    expect(body['links'], 'links of a read in a batch', reply).toBeAnArray();
    const rels = (links: unknown) =>
      Array.isArray(links)
        ? links
            .filter(isObject)
            .map((link) => String(link['rel']))
            .sort()
        : [];
    expect(rels(body['links']), 'rels of the links of a read in a batch', reply).toEqual(rels(linksOf(alone)));
    const entries = (data: unknown) =>
      isObject(data) && Array.isArray(data[owner.port.member]) ? data[owner.port.member] : [];
    const texts = (data: unknown) =>
      [entries(data)].flat().map((entry: unknown) => (isObject(entry) ? entry[owner.port.text] : undefined));
    expect(texts(body['data']), 'entries of a read in a batch', reply).toEqual(texts(dataOf(alone)));
    const missing = await sendBatch(context, [service.requests.read({ ...owner, oid: given.unknownOid(owner) })]);
    expect(statusesOf(missing)[0], 'statusCode of a read of an unknown id', missing).toEqual(404);
  }),
} satisfies SomeCasesOf<'batch'>;

type Kind = 'read' | 'create' | 'edit';

function requestOf(context: CaseContext, kind: Kind, thing: Thing): RequestSpec {
  if (kind === 'read') return context.service.requests.read(thing);
  return kind === 'create' ? context.service.requests.create(context.given.body()) : edit(context, thing);
}
