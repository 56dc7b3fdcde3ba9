import { expect, onTestFinished, test } from 'vitest';
import type { Need } from '../../../contract/needs.ts';
import { objectStore, smallProfile, smallService } from '../../small-service.fixture.ts';
import { Base } from '../base.ts';
import { LeftOut } from './left-out.ts';
import { profileOfServer } from '../session.fixture.ts';

const typeKeys = { definitionId: 'Dossier', inputSchemaId: 'in', outputSchemaId: 'out', body: {} };

/** A service where nothing of another SoftType can be made in another space: each create there has that status. */
async function baseWhere(status: number, needs: readonly Need[], location?: string): Promise<Base> {
  const store = objectStore();
  const small = await smallService((request, response, message) => {
    const isBeside = request.method === 'POST' && request.url.includes('Dossier');
    if (isBeside) return void response.writeHead(status, { ...(location && { Location: location }) }).end();
    return store(request, response, message);
  });
  const loaded = smallProfile(small.url);
  const profile = { ...loaded.profile, secondSpace: { space: 'depot', softType: typeKeys } };
  const base = new Base({ loaded: { ...loaded, profile }, seed: 1 }, new AbortController().signal, new Set(needs));
  onTestFinished(() => base.close());
  return base;
}

test.each([400, 403, 404])(
  'a second space that answers %i is left out, and the other rules are judged',
  async (status) => {
    const base = await baseWhere(status, ['soft-type', 'second-space']);
    expect(await base.preflight()).toBeUndefined();
    expect(base.unusable()).toEqual({ 'second-space': expect.stringMatching(`answered ${status}.*: correct `) });
    expect(base.completed()).not.toHaveProperty('secondSpace');
  },
);

test('what a profile states is not left out unseen, where no rule of the run is blocked without it', async () => {
  const base = await baseWhere(404, ['soft-type']);
  expect(await base.preflight()).toContain('correct secondSpace.space');
});

test.each([
  ['a server error', 500, undefined],
  ['a new object without Location', 201, undefined],
  ['a Location that leads nowhere', 201, '/api/space/depot/softtype/none'],
])('%s there is for the rules to tell', async (_what, status, location) => {
  const base = await baseWhere(status, ['soft-type', 'second-space'], location);
  expect(await base.preflight()).toBeUndefined();
  expect(base.unusable()).toEqual({});
  expect(base.completed()).toHaveProperty('secondSpace');
});

test.each([
  ['another identity than the editor', 'administrator', ['soft-type', 'collection-admin', 'file-area-collection']],
  ['an identity that no rule of the run needs', 'reader', ['soft-type']],
] as const)('a token that is refused %s', async (_whom, name, needs) => {
  const loaded = await profileOfServer({}, ({ identities, ...profile }) => ({
    ...profile,
    identities: { ...identities, [name]: { ...identities[name], password: 'forgotten' } },
  }));
  const base = new Base({ loaded, seed: 1 }, new AbortController().signal, new Set<Need>(needs));
  onTestFinished(() => base.close());
  const sentence = expect.stringMatching(
    `^the token endpoint refused the identity ${name} .*correct identities.${name}`,
  );
  if (name === 'reader') return expect(await base.preflight()).toEqual(sentence);
  expect(await base.preflight()).toBeUndefined();
  expect(base.unusable()).toEqual({ 'collection-admin': sentence, 'file-area-collection': sentence });
});

test('of several SoftTypes of a list those are left out that are meant', async () => {
  const { profile } = await profileOfServer();
  const first = { ...typeKeys, escaped: 'a~1' };
  const second = { ...typeKeys, scalars: ['note'] };
  const third = { ...typeKeys, scalars: ['note', 'remark'], numbers: ['weight'], renamed: { input: 'a', output: 'b' } };
  const softTypes = { primary: typeKeys, further: [first, second, third] };
  const left = new LeftOut({ ...profile, softTypes }, new Set<Need>(['escaped-member', 'renamed-member']));
  expect([left.add('softTypes.further.0', 'no'), left.add('softTypes.further.1', 'no')]).toEqual([true, false]);
  expect(left.add('softTypes.further.2', 'nor this')).toBe(true);
  expect(left.profile.softTypes?.further).toEqual([second]);
  expect(left.unusable).toEqual({ 'escaped-member': 'no', 'renamed-member': 'nor this' });
});
