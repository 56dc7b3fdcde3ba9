import { catalogue } from '../suites/catalogue.ts';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { unmetNeeds } from './needs.ts';
import { bind } from './profile.ts';
import { loadProfile, profileFrom } from './profile/load.ts';
import { ProfileError } from './profile/document.ts';
import { smallProfile } from './small-service.fixture.ts';

const bundled = new URL('../fixtures/profile.yaml', import.meta.url).pathname;

function errorOf(text: string, environment: Record<string, string> = {}): ProfileError {
  try {
    profileFrom(text, 'my.yaml', { environment, rules: catalogue.all });
  } catch (error) {
    if (error instanceof ProfileError) return error;
  }
  throw new Error('this profile was taken');
}

const good = `profileVersion: 1
implementation: mine
baseUrl: http://localhost:1
space: main
identities:
  editor: { token: abcdef }
`;

describe('loadProfile', () => {
  test('reads the bundled profile and binds it', async () => {
    const { profile } = await loadProfile(bundled, {
      values: { BASE_URL: 'http://localhost:1', HOST_DIRECTORY: '/tmp' },
    });
    const { port, secondPort, scalars, second } = bind(profile);
    expect([port.portId, secondPort.member, scalars, second.definitionId]).toEqual([
      'files',
      'contacts',
      ['note', 'remark'],
      'Part',
    ]);
  });

  test.each([
    ['an unknown key', `${good}auht: {}\n`, 'content', 7, 1, 'unknown key "auht" in the file; did you mean "auth"?'],
    [
      'an unknown key inside',
      good.replace('token:', 'tokn:'),
      'content',
      6,
      13,
      'unknown key "tokn" in identities.editor; did you mean "token"?',
    ],
    ['a wrong type', good.replace('main', '[1]'), 'content', 4, 8, 'space must be of type string, found [1]'],
    [
      'a wrong word',
      `${good}expect:\n  uriForm: relative\n`,
      'content',
      8,
      12,
      'expect.uriForm must be "absolute" or "path", found "relative"',
    ],
    [
      'a wrong status',
      `${good}expect: { putSuccess: yes }\n`,
      'content',
      7,
      23,
      'expect.putSuccess must be of type integer or of type array, found "yes"',
    ],
    [
      'an extension host alone',
      `profileVersion: 1\nimplementation: mine\nextensionHost: { hostUri: http://x, apiKey: AAAA }\n`,
      'content',
      3,
      16,
      'this profile names an extension host and no service: svc-conformance check-extension --profile judges that; a service needs baseUrl',
    ],
    ['a missing key', good.replace('space: main\n', ''), 'content', 1, 1, 'the file lacks "space"'],
    ['another version', good.replace('1', '2'), 'content', 1, 17, 'profileVersion must be 1, found 2'],
    [
      'a misspelt need',
      `${good}notSupported:\n  put-rout: none\n`,
      'content',
      8,
      3,
      '"put-rout" under notSupported is no need or rule; did you mean "put-route"?',
    ],
    [
      'a misspelt rule',
      `${good}knownFailures: { reading.create.status-210: why }\n`,
      'content',
      7,
      18,
      'did you mean "reading.create.status-201"?',
    ],
    [
      'a placeholder that nothing replaces',
      `${good}routes:\n  job: { method: GET, path: '/dx/{{job}}' }\n`,
      'content',
      8,
      34,
      'routes.job.path asks for {{job}}, which is not known there; did you mean "{{jobId}}"?',
    ],
    [
      'one in a body',
      `${good}triggers:\n  event: { method: POST, path: /e, body: { a: [{ b: 'x {{body}}' }] } }\n`,
      'content',
      8,
      56,
      'triggers.event.body.a.0.b asks for {{body}}',
    ],
    [
      'braces of the other kind in a path',
      `${good}routes: { softTypeDelete: '/x/{{objectId}}' }\n`,
      'content',
      7,
      31,
      'did you mean "{objectId}"?',
    ],
    [
      'a value that only a later request takes',
      `${good}triggers:\n  event:\n    - { method: POST, path: '/{{made}}', take: { made: /id } }\n    - { method: PUT, path: '/{{made}}' }\n`,
      'content',
      9,
      31,
      'triggers.event.0.path asks for {{made}}',
    ],
    [
      'a reference to nothing',
      `${good}softTypes:\n  primary:\n    { definitionId: A, inputSchemaId: b, outputSchemaId: c, body: {}, reference: { port: p, target: secnd } }\n`,
      'content',
      9,
      undefined,
      'softTypes.primary.reference.target is "secnd", and no SoftType of the profile; did you mean "second"?',
    ],
    [
      'a filter by the text that tells entries apart',
      `${good}softTypes:\n  primary: { definitionId: A, inputSchemaId: b, outputSchemaId: c, body: {}, arrayPort: { member: p, entry: {}, text: t } }\nfilters:\n  withValue: { id: f, groupId: g, criteriaPort: c, member: t }\n`,
      'content',
      10,
      undefined,
      'filters.withValue.member names "t", the text of the array port',
    ],
    [
      'a fixed filter by that text',
      `${good}softTypes:\n  primary: { definitionId: A, inputSchemaId: b, outputSchemaId: c, body: {}, arrayPort: { member: p, entry: {}, text: t } }\nfilters:\n  fixed: { id: f, matching: { t: one }, other: { u: two } }\n`,
      'content',
      10,
      undefined,
      'filters.fixed.matching names "t"',
    ],
    [
      'a fixed filter that admits nothing that can be told',
      `${good}softTypes:\n  primary: { definitionId: A, inputSchemaId: b, outputSchemaId: c, body: {}, arrayPort: { member: p, entry: {}, text: t } }\nfilters:\n  fixed: { id: f, matching: {}, other: { u: two } }\n`,
      'content',
      10,
      undefined,
      'filters.fixed.matching names no member',
    ],
    [
      'a text that is mandatory',
      `${good}softTypes:\n  primary:\n    { definitionId: A, inputSchemaId: b, outputSchemaId: c, body: {}, arrayPort: { member: p, entry: {}, text: t, mandatory: t } }\n`,
      'content',
      9,
      undefined,
      'softTypes.primary.arrayPort.mandatory names "t"',
    ],
    [
      'a user without a role who is the administrator as well',
      `${good}  noRole: { username: cora, password: one }\n  administrator: { username: cora, password: one }\n`,
      'content',
      7,
      23,
      'identities.noRole is "cora", as is identities.administrator: one user cannot be both',
    ],
    ['no YAML', `${good}  - : }{`, 'yaml', 7, undefined, 'this is no YAML'],
    [
      'a missing variable',
      good.replace('abcdef', '${EDITOR_TOKEN}'),
      'variable',
      6,
      20,
      'the environment variable EDITOR_TOKEN is not set',
    ],
    [
      'several missing variables',
      good.replace('abcdef', '${EDITOR_TOKEN}-${NO_OTHER_TOKEN}-${EDITOR_TOKEN}'),
      'variable',
      6,
      20,
      'the environment variables EDITOR_TOKEN, NO_OTHER_TOKEN are not set',
    ],
    ['no mapping', 'just text', 'content', 1, 1, 'the file must be a mapping, found "just text"'],
    ['nothing', '', 'content', 1, 1, 'the file must be a mapping'],
  ])('points at %s', (_name, text, code, line, column, sentence) => {
    const error = errorOf(text);
    expect(error.message).toContain(sentence);
    expect(error).toMatchObject({ code, line, ...(column !== undefined && { column }), file: 'my.yaml' });
    expect(error.message).toMatch(new RegExp(`^my.yaml:${error.line}:${error.column}: `));
  });

  test('takes one user for two identities that may do nothing in the space', () => {
    const nobody = '{ username: otto, password: one }';
    const { profile } = profileFrom(`${good}  outsider: ${nobody}\n  noRole: ${nobody}\n`, 'my.yaml');
    expect(profile.identities.noRole).toEqual(profile.identities.outsider);
  });

  test('names the variable that a wrong value came from', () => {
    const error = errorOf(good.replace('abcdef', '${EDITOR_TOKEN}'), { EDITOR_TOKEN: '' });
    expect(error.message).toContain('found "", from the environment variable EDITOR_TOKEN');
  });

  test('puts variables in, whatever stands in them, and knows which value came from which', () => {
    const secret = 'a: "b" {c} # ${OTHER}';
    const text = `# needs \${NOTHING}\n${good.replace('abcdef', '${MY_TOKEN}').replace('main', 'm-${PART}-n')}`;
    const { profile, variables } = profileFrom(text, 'x', { environment: { MY_TOKEN: secret }, values: { PART: 'i' } });
    expect(profile.identities.editor.token).toBe(secret);
    expect(profile.space).toBe('m-i-n');
    expect(variables).toEqual({ 'identities.editor.token': 'MY_TOKEN' });
  });

  test('reads from a file what a variable keeps there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'token');
    writeFileSync(file, 'in a file\n');
    const text = good.replace('abcdef', '${MY_TOKEN}');
    const environment = { MY_TOKEN_FILE: file };
    const { profile, variables } = profileFrom(text, 'x', { environment });
    expect([profile.identities.editor.token, variables]).toEqual([
      'in a file',
      { 'identities.editor.token': 'MY_TOKEN' },
    ]);
    const both = profileFrom(text, 'x', { environment: { ...environment, MY_TOKEN: 'itself' } });
    expect(both.profile.identities.editor.token).toBe('itself');
    const error = errorOf(text, { MY_TOKEN_FILE: join(folder, 'absent') });
    expect([error.code, error.message]).toEqual(['unreadable', expect.stringContaining('MY_TOKEN_FILE')]);
  });

  test.each(['merge', 'operations', 'batch', 'multi-create'] as const)(
    'takes a route as not offered once every rule about it is declared: %s',
    (route) => {
      const home = { merge: 'patch.merge.', operations: 'patch.', batch: 'batch.', 'multi-create': 'multi-create.' }[
        route
      ];
      const about = catalogue.all.filter(({ id, needs }) => id.startsWith(home) && needs.includes(route));
      const declaring = (names: readonly string[]) =>
        bind(
          profileFrom(
            `${good}multiCreate: { resultHref: /href }\nnotSupported:\n${names.map((name) => `  '${name}': later\n`).join('')}`,
            'my.yaml',
            {
              rules: catalogue.all,
            },
          ).profile,
        );
      expect(about.length).toBeGreaterThan(3);
      expect(declaring(about.map(({ id }) => id)).offers(route)).toBe(false);
      expect(declaring(about.slice(1).map(({ id }) => id)).offers(route)).toBe(true);
      expect(declaring([`${home}*`]).all.notSupported).toHaveProperty([route], 'later');
    },
  );

  test('takes a multi-create of whose results nothing is said as not offered', () => {
    expect(bind(profileFrom(good, 'my.yaml').profile).offers('multi-create')).toBe(false);
  });

  test('says what is wrong with a file or an address', async () => {
    await expect(loadProfile('/no/such.yaml')).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining('there is no such file'),
    });
    await expect(loadProfile('http://127.0.0.1:1/profile')).rejects.toMatchObject({ code: 'unreadable' });
  });
});

describe('unmetNeeds', () => {
  const text = readFileSync(bundled, 'utf8');
  const { profile } = profileFrom(text, bundled, {
    values: { BASE_URL: 'http://localhost:1', HOST_DIRECTORY: '/tmp' },
  });
  const areas = [
    'reading',
    'paging',
    'patch',
    'versioning',
    'auth',
    'caching',
    'headers',
    'hypermedia',
    'openapi',
    'collection',
    'maturity',
  ];

  test('the bundled profile meets the needs of the core areas, but for what it cannot offer', () => {
    const unmet = catalogue.all
      .filter((rule) => areas.includes(rule.area))
      .flatMap((rule) => unmetNeeds(rule, profile));
    expect(
      new Set(unmet.map(({ need }) => need)).difference(
        new Set(['clock-control', 'id-token', 'extension-probe', 'log-probe', 'restart-control', 'second-participant']),
      ),
    ).toEqual(new Set());
  });

  test('a small profile is told which keys to add', () => {
    const small = smallProfile('http://localhost:1').profile;
    const rule = { needs: ['soft-type', 'mandatory-member', 'pat', 'acquire-identity'] as const };
    expect(unmetNeeds(rule, small)).toEqual([
      { need: 'mandatory-member', hint: 'add softTypes.primary.arrayPort.mandatory' },
      { need: 'pat', hint: 'add username and pat of identities.editor' },
      { need: 'acquire-identity', hint: 'add apiKeys.acquireAs, and an administrator in identities where it says so' },
    ]);
  });
});
