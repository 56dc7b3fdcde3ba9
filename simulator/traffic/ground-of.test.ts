import { describe, expect, test } from 'vitest';
import type { Profile } from '../../contract/profile.ts';
import { groundOf } from './ground-of.ts';
import { readStep } from './journeys/steps.ts';

const least: Profile = {
  profileVersion: 1,
  implementation: 'lean',
  baseUrl: 'https://host.example/tenant/',
  space: 'a b',
  identities: { editor: { token: 'ready' }, noRole: { pat: 'only a personal token' } },
};
const ground = (more: Partial<Profile>): ReturnType<typeof groundOf> => groundOf({ ...least, ...more }, 1);

test.each<[string, Partial<Profile>, readonly string[]]>([
  ['all forms, the fullest first', {}, ['https://host.example/tenant', '/tenant', '']],
  ['no form twice where there is no path', { baseUrl: 'http://host.example:8080' }, ['http://host.example:8080', '']],
  ['the absolute one alone', { batch: { hrefForm: 'absolute' } }, ['https://host.example/tenant']],
  ['the one from the host on alone', { batch: { hrefForm: 'path' } }, ['/tenant']],
  ['the one from the base URL on alone', { batch: { hrefForm: 'fromBaseUrl' } }, ['']],
])('forms of href in a batch: %s', (_what, more, prefixes) => expect(ground(more).batchHrefPrefixes).toEqual(prefixes));

describe('the file area', () => {
  const editor = { as: 'editor' } as const;
  test.each<[string, Partial<Profile>, string | undefined]>([
    [
      'of the space before others',
      { files: { areas: { collection: editor, space: editor } } },
      '/api/space/a%20b/fs/file',
    ],
    ['of the user', { files: { areas: { collection: editor, user: editor } } }, '/api/space/a%20b/user/fs/file'],
    [
      'of the participant',
      { participant: 'p/1', files: { areas: { collection: editor, participant: editor } } },
      '/api/space/a%20b/participant/p%2F1/fs/file',
    ],
    [
      'of the collection, where no participant is named',
      { files: { areas: { collection: editor, participant: editor } } },
      '/api/collection/fs/file',
    ],
    ['none', {}, undefined],
  ])('%s', (_what, more, path) => expect(ground(more).fileArea?.path).toBe(path));

  test('with its limits', () => {
    const files = { areas: { space: editor }, minChunkSize: 262_144, maxStreamSize: 10 };
    expect(ground({ files }).fileArea).toMatchObject({ minChunkSize: 262_144, maxStreamSize: 10 });
  });
});

test('the id of a space is percent-encoded in a multi-create', () => {
  const multiCreate = { resultHref: '/{index}/href' };
  expect(ground({ multiCreate }).multiCreate?.path).toBe('/space/a%20b/softtype');
});

describe('others than the editor', () => {
  test('come where a token can be had for them', () => {
    expect(ground({}).strangers).toBeUndefined();
    const identities = {
      ...least.identities,
      outsider: { token: 'ready' },
      noRole: { username: 'nora', password: 'pw' },
    };
    expect(ground({ identities }).strangers).toEqual([{ as: 'outsider', rule: 'auth.role.outsider-403' }]);
    expect(ground({ identities, auth: { tokenUrl: '/token' } }).strangers).toHaveLength(2);
  });
});

test('what the short route shows of another schema is read by the long one', () => {
  const primary = { definitionId: 'Type', inputSchemaId: 'in', outputSchemaId: 'out', body: {} };
  const pathFor = (shortRouteSchemaId: string): string => {
    const env = {
      ground: ground({ softTypes: { primary: { ...primary, shortRouteSchemaId } } }),
      user: 0,
      iteration: 0,
      now: () => 0,
      random: () => 0,
    };
    return readStep(env, 'a').path;
  };
  expect(pathFor('out')).toBe('/api/space/a%20b/softtype/a');
  expect(pathFor('card')).toBe('/api/space/a%20b/softtype/Type/out/a');
});

test('what needs an identity that there is not is left out', () => {
  const caching: Profile['caching'] = {
    resources: [{ path: '/one' }],
    change: { resource: 0, method: 'PUT', path: '/one', as: 'administrator', body: {} },
  };
  expect(ground({ caching }).conditional).toEqual({ path: '/one', as: 'editor' });
  expect(ground({ caching: { resources: [{ path: '/one', as: 'administrator' }] } }).conditional).toBeUndefined();
});
