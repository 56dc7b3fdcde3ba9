import { scenario, type CasesOf } from '../../judge/case.ts';
import { unescaped } from '../../judge/unescaped.ts';
import {
  danglingReferences,
  definitionOf,
  fetchDefinition,
  inSpace,
  otherForm,
  parsed,
  structureErrors,
} from '../../judge/openapi/document.ts';
import { liveTraffic } from './live-traffic.ts';
import { matchesAnything, missingRoutes } from './operations.ts';

export const openapiCases: CasesOf<'openapi'> = {
  'openapi.dynamic.is-served': scenario(async (context) => {
    const { given, service, expect, notes } = context;
    const served = await fetchDefinition(context);
    expect(served).toAnswer(200);
    expect(served.text.trim().length, 'length of the document', served).toSatisfy(
      'more than nothing',
      (length) => length > 0,
    );
    expect(Object.keys(parsed(served.text) ?? {}).length, 'members of the document', served).toSatisfy(
      'at least one',
      (count) => count > 0,
    );
    const request = service.requests.openApi();
    notes.observe('status of the path as written', (await service.send(request)).status);
    notes.observe(
      'status of the path in its other form',
      (await service.send(request, { url: otherForm(request.url) })).status,
    );
    notes.observe('media type', served.headers['content-type'] ?? 'none', served);
    notes.bound('openApiWithoutToken', 'without token', (await service.send(request, { as: null })).status);
    for (const url of [request.url, otherForm(request.url)])
      expect(await service.send(request, { url: inSpace(url, given.unique('no-space')) })).notToSucceed();
  }),

  'openapi.dynamic.valid-document': scenario(async (context) => {
    const { document, reply } = await definitionOf(context);
    context
      .expect(await structureErrors(document), 'errors against the schema of the declared version', reply)
      .toEqual([]);
    context.expect(danglingReferences(document), 'references that lead nowhere', reply).toEqual([]);
    context.notes.observe('declared version', String(document['openapi'] ?? document['swagger']), reply);
  }),

  'openapi.dynamic.lists-every-soft-type': scenario(async (context) => {
    const { expect, notes, profile } = context;
    const { document, reply } = await definitionOf(context);
    const byParameter = matchesAnything(document, profile.all.space);
    notes.observe('definitions are named by a parameter that takes anything', byParameter, reply);
    for (const type of [profile.primary, profile.second]) {
      expect(
        missingRoutes(document, profile.all.space, type),
        `routes of ${type.definitionId} that the document lacks`,
        reply,
      ).toEqual([]);
      if (byParameter)
        expect(unescaped(reply).includes(type.definitionId), `the document names ${type.definitionId}`, reply).toEqual(
          true,
        );
    }
  }),

  'openapi.dynamic.follows-template': scenario(async (context) => {
    const { expect, given, profile } = context;
    const other = given.present(profile.all.secondSpace, 'secondSpace in the profile');
    const here = await definitionOf(context);
    const there = await definitionOf(context, other.space);
    const byParameter = matchesAnything(here.document, profile.all.space);
    const lists = ({ document, reply }: typeof here, space: string, type: typeof other.softType) =>
      byParameter ? unescaped(reply).includes(type.definitionId) : missingRoutes(document, space, type).length === 0;
    expect(
      lists(here, profile.all.space, profile.primary),
      `the document of ${profile.all.space} has its own SoftType`,
      here.reply,
    ).toEqual(true);
    expect(
      lists(there, other.space, other.softType),
      `the document of ${other.space} has its own SoftType`,
      there.reply,
    ).toEqual(true);
    expect(
      lists(there, other.space, profile.primary),
      `the document of ${other.space} has a SoftType of ${profile.all.space}`,
      there.reply,
    ).toEqual(false);
    expect(
      lists(here, profile.all.space, other.softType),
      `the document of ${profile.all.space} has a SoftType of ${other.space}`,
      here.reply,
    ).toEqual(false);
  }),

  'openapi.dynamic.describes-live-traffic': liveTraffic,

  'openapi.static.documents': scenario(async ({ service, notes, profile }) => {
    const paths = profile.all.routes?.openApiStatic ?? [];
    if (paths.length === 0) notes.observe('static definitions', 'none named in the profile');
    for (const path of paths) {
      const reply = await service.get(path);
      const document = parsed(reply.text);
      notes.observe(`status of ${path}`, reply.status, reply);
      notes.observe(
        `errors of ${path}`,
        document === undefined ? 'no document' : ((await structureErrors(document))[0] ?? 'none'),
        reply,
      );
    }
  }),
};
