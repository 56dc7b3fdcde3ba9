import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { NamedIdentity } from '../values.ts';
import { unmetNeeds } from '../../judge/needs.ts';
import { loadProfile, profileFrom } from '../../judge/profile/load.ts';
import { isObject } from '../../judge/json.ts';
import { sendJson } from '../../judge/small-service.fixture.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { replaces, together, type Variant } from '../../variants/breaks.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { daysChosen } from '../../variants/habits.fixture.ts';
import { choices } from '../../variants/dialect/dialects.ts';
import { withHeaders } from '../../variants/faults/answers.ts';
import { answering } from '../doctor/broken-target.fixture.ts';
import { doctorCommand } from '../doctor.ts';
import { initCommand } from '../init.ts';
import { captureOutput } from '../output.fixture.ts';
import type { InitOptions } from './answers.ts';
import { conversation, placeForProfiles, secrets } from './init.fixture.ts';

const place = placeForProfiles();

const identity: readonly NamedIdentity[] = [
  { identity: 'secondEditor', username: 'emil' },
  { identity: 'reader', username: 'rita' },
  { identity: 'outsider', username: 'otto' },
  { identity: 'noRole', username: 'nora' },
  { identity: 'administrator', username: 'cora' },
];

const passwords: Readonly<Record<string, string>> = {
  SVC_SECOND_EDITOR_PASSWORD: 'emil-password',
  SVC_READER_PASSWORD: 'rita-password',
  SVC_OUTSIDER_PASSWORD: 'otto-password',
  SVC_NO_ROLE_PASSWORD: 'nora-password',
  SVC_ADMINISTRATOR_PASSWORD: 'cora-password',
  SVC_PAT: 'svcpat-edda-7d1c0b9e5a',
  SVC_ADMIN_KEY: 'YWRtaW5pc3RyYXRpb24ga2V5IG9mIHRoZSBkZW1vbnN0cmF0aW9uLCBwdWJsaWMsIDY0IGJ5dGVzLi4uLi4uLg==',
};

/** The profile that init writes of a server that is wrong in these ways, what it prints, and how many rules can be judged by it. */
async function foundAt(fault: Variant | undefined, more: Partial<InitOptions> = {}) {
  const environment: Readonly<Record<string, string>> = { ...secrets, ...passwords };
  const server = createVariant(fault === undefined ? {} : { faults: [fault] });
  try {
    const options = place.answers(await server.listen(), more);
    const { printed } = await captureOutput(() => initCommand(options, conversation(undefined, environment)));
    const { profile } = await loadProfile(options.out, { environment });
    const testable = catalogue.all.filter((rule) => unmetNeeds(rule, profile).length === 0).length;
    return { profile, printed, testable, text: readFileSync(options.out, 'utf8') };
  } finally {
    await server.close();
  }
}

/** Answers are described, but not what is in them. */
const withoutAnswers = describedWith((name, value) => (name === 'responses' ? {} : value));

/** Neither is told which members have to be there. */
const withoutRequired = describedWith((name, value) => {
  if (name === 'responses') return {};
  return name === 'required' && Array.isArray(value) ? [] : value;
});

/** Members of the dynamic document as that makes them, from outside in. */
function describedWith(change: (name: string, value: unknown) => unknown): Variant {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, changed(change(name, inner))]));
  };
  return replaces('openApi', 'dynamicDocument', (right, areas, space) => ({ ...Object(changed(right(areas, space))) }));
}

const withoutDocument = replaces('openApi', 'dynamicDocument', () => {
  throw new Refusal(404, 'No such document.');
});

const withoutDelete = replaces('editing', 'deleteObject', async () => {
  throw new Refusal(405, 'Nothing is ever deleted.');
});

describe('init', () => {
  test('finds with all identities what four hundred rules need, links and registrations included', async () => {
    const { profile, printed, testable, text } = await foundAt(undefined, {
      identity,
      patEnv: 'SVC_PAT',
      adminApiKeyEnv: 'SVC_ADMIN_KEY',
      hostDirectory: place.folder(),
    });
    expect(testable, printed).toBeGreaterThanOrEqual(400);
    expect(profile).toMatchObject({
      listener: { publicUrl: 'http://127.0.0.1:{port}' },
      maturity: { stateMember: 'engineering', secondLevelId: 'approval' },
      apiKeys: { acquireAs: 'administrator' },
      caching: { resources: [{ as: 'administrator' }, { as: 'administrator' }] },
      routes: {
        demote: '/api/space/{spaceId}/maturityAction/demote/{objectId}/{processId}/{levelId}',
        registrationDelete: { method: 'DELETE', path: '/api/admin/{{kind}}/{{registrationId}}' },
      },
    });
    expect(profile.softTypes?.primary.secondOutputSchema).toBeDefined();
    expect(profile.softTypes?.primary.numbers).toContain('weight');
    expect(printed).toContain('Guessed, and seen to work: auth.tokenUrl (/auth/token)');
    expect(printed).toContain('Took Document for softTypes.primary, as most can be tested with it: --definition-id,');
    expect(printed).not.toContain('Not deleted');
    expect(text).not.toContain('cora-password');
  });

  test('writes and reads an object where the documents do not describe answers', async () => {
    const { profile } = await foundAt(withoutAnswers);
    expect(profile.softTypes?.primary).toMatchObject({ definitionId: 'Document', outputSchemaId: 'documentFull' });
    expect(Object.keys(profile.softTypes?.primary ?? {})).toEqual(
      expect.arrayContaining(['scalars', 'arrayPort', 'object', 'scalarList', 'secondOutputSchema', 'renamed']),
    );
  });

  test('finds out which texts are mandatory where no document says so, at the top and in entries', async () => {
    const { profile, printed } = await foundAt(withoutRequired);
    expect(profile.softTypes?.primary).toMatchObject({
      body: { title: 'Document {{unique}}' },
      scalars: ['note', 'remark'],
      arrayPort: { member: 'files', mandatory: 'name' },
    });
    expect(printed).not.toContain('Not deleted');
  });

  test('finds out that a filter chooses a day alone', async () => {
    const { profile } = await foundAt(daysChosen);
    expect(profile.softTypes?.primary.dated).toBeDefined();
    expect(profile.informationFilter).toMatchObject({ dateMember: 'time', dateForm: 'date' });
  });

  test('takes names that are given for a start', async () => {
    const given = { definitionId: 'Part', inputSchemaId: 'partInput', outputSchemaId: 'partFull' };
    const { profile } = await foundAt(undefined, given);
    expect(profile.softTypes?.primary).toMatchObject({ ...given, scalars: ['note', 'remark'] });
    expect(profile.softTypes?.primary.arrayPort).toBeDefined();
    expect(profile.softTypes?.second?.definitionId).toBe('Document');
  });

  test('takes the SoftType to which the first one refers for the second one, not what offers most', async () => {
    const given = { definitionId: 'Requirement', inputSchemaId: 'requirementInput', outputSchemaId: 'requirementFull' };
    const { profile } = await foundAt(undefined, given);
    expect(profile.softTypes?.second?.definitionId).toBe('Part');
    expect(profile.softTypes?.primary.reference).toEqual({ port: 'satisfiedBy', target: 'second' });
    expect(profile.references?.readPath).toBe('/value/$oid');
  });

  test('finds what it can of a service that is foreign in all that is left open', async () => {
    const { profile, testable } = await foundAt(together(...choices.foreign.map(({ by }) => by)), { identity });
    const { primary, second } = profile.softTypes ?? {};
    expect(primary).toMatchObject({
      arrayPort: { member: 'files' },
      reference: { port: 'describes', target: 'second' },
    });
    expect(second?.definitionId).toBe('Part');
    expect(testable).toBeGreaterThan(350);
  });

  test('writes no DELETE that was refused, and says once what stays', async () => {
    const { profile, printed } = await foundAt(withoutDelete);
    expect(profile.routes?.softTypeDelete).toBeUndefined();
    expect(printed.match(/Not deleted/g)).toHaveLength(1);
    expect(printed).toMatch(/and \d+ more \(DELETE was answered with 405\)/);
  });

  test('writes a profile of a service with files and without SoftTypes, and says what it did not find', async () => {
    const { profile, printed } = await foundAt(withoutDocument);
    expect(profile.softTypes).toBeUndefined();
    expect(Object.keys(profile.files?.areas ?? {})).toContain('space');
    expect(printed).toMatch(/^Found no SoftType, only files: GET .* answered 404: .*notSupported: \{ soft-type: /m);
    expect(printed).toMatch(/^ {2}files +\d\d of /m);
  });

  test('leaves out an identity that gets no token, and says so', async () => {
    const { profile, printed } = await foundAt(undefined, { identity: [{ identity: 'reader', username: 'nobody' }] });
    expect(profile.identities.reader).toBeUndefined();
    expect(printed).toContain('Left out: identities.reader');
  });

  test('proposes to allow the hosts to which addresses lead, in a comment, and doctor does so until they are', async () => {
    const elsewhere = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      const { Location } = answer.headers ?? {};
      return Location === undefined ? answer : withHeaders(answer, { Location: `http://public.example${Location}` });
    });
    const { profile, printed, text } = await foundAt(elsewhere);
    expect(printed).toContain('Addresses lead to public.example and are not followed');
    expect(text).toMatch(/^# allowHosts: \[public\.example\] # /m);
    expect(profile.allowHosts).toBeUndefined();
    const allowed = text.replace(/^# (?=allowHosts)/m, '');
    expect(profileFrom(allowed, 'profile.yaml', { environment: secrets }).profile.allowHosts).toEqual([
      'public.example',
    ]);
    const server = createVariant({ faults: [elsewhere] });
    const url = await server.listen();
    const file = place.file();
    const toldOf = async (each: string): Promise<string> => {
      writeFileSync(file, each.replace(/^baseUrl: .*/m, `baseUrl: ${url}`));
      return (await captureOutput(() => doctorCommand({ profile: file }))).printed;
    };
    expect(await toldOf(text)).toContain('public.example and are not followed: add allowHosts: [public.example]');
    expect(await toldOf(allowed)).not.toContain('not followed');
    await server.close();
  });

  test('leaves out what a single answer leads away from, and writes the rest', async () => {
    const elsewhere = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      if (!Array.isArray(answer.body) || !answer.body.every((each) => isObject(each) && '$id' in each)) return answer;
      return { ...answer, body: answer.body.map(({ href }) => ({ href: `http://public.example${href}` })) };
    });
    const { profile, printed } = await foundAt(elsewhere);
    expect(profile.softTypes?.primary.definitionId).toBe('Document');
    expect(profile.multiCreate).toBeUndefined();
    expect(printed).toContain('Addresses lead to public.example and are not followed');
  });

  test('does not take the 401 of a route that is not there for a wrong password', async () => {
    await using target = await answering(({ url }, response) =>
      url === '/oauth/token'
        ? sendJson({ error: 'invalid_grant' }, response, 400)
        : sendJson({ title: 'Unauthorized' }, response, 401),
    );
    const { printed } = await captureOutput(() => initCommand(place.answers(target.url), conversation()));
    expect(printed).toContain('at /oauth/token, the token endpoint refused the identity editor (400 invalid_grant)');
    const ofGuards = [{ title: 'Unauthorized' }, { status: 401, error: 'Unauthorized' }, { error: 'invalid_token' }];
    for (const body of ofGuards) {
      await using silent = await answering((_request, response) => sendJson(body, response, 401));
      const other = await captureOutput(() => initCommand(place.answers(silent.url), conversation()));
      expect(other.printed).toContain('/auth/token (401), /oauth/token (401), /api/auth/token (401)');
    }
  });
});

test('an address with /api behind it is told without', async () => {
  const server = createVariant({});
  const url = await server.listen();
  const environment: Readonly<Record<string, string>> = { ...secrets, ...passwords };
  const options = place.answers(`${url}/api`, {});
  const { exitCode, printed } = await captureOutput(() => initCommand(options, conversation(undefined, environment)));
  await server.close();
  expect(exitCode).toBe(3);
  expect(printed).toContain(`try --url ${url}; else name the token endpoint with --token-url`);
});
