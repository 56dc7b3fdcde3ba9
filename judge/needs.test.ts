import { describe, expect, test } from 'vitest';
import type { Need } from '../contract/needs.ts';
import type { Profile } from '../contract/profile.ts';
import { unmetNeeds } from './needs.ts';

const bare: Profile = {
  profileVersion: 1,
  implementation: 'small',
  baseUrl: 'http://localhost:1',
  space: 'main',
  identities: { editor: { token: 'editor-token' }, secondEditor: { token: 'other-token' } },
};
const hintOf = (need: Need, profile: Partial<Profile>): string | undefined =>
  unmetNeeds({ needs: [need] }, { ...bare, ...profile })[0]?.hint;
const key = { adminApiKey: 'a2V5' };
const area = { as: 'editor' } as const;

describe('needs around files', () => {
  test.each<readonly [Need, Partial<Profile>, Partial<Profile>, string]>([
    ['admin-api-key', { bulk: key }, { bulk: {} }, 'add bulk.adminApiKey'],
    ['host-directory', { bulk: { hostDirectory: { path: '/x' } } }, { bulk: key }, 'add bulk.hostDirectory'],
    [
      'file-area-space',
      { files: { areas: { space: area } } },
      { files: { areas: { user: area } } },
      'add files.areas.space',
    ],
    [
      'file-area-any',
      { files: { areas: { user: area } } },
      {},
      'add an area to files.areas, with an identity that has a credential',
    ],
    [
      'file-area-user',
      { files: { areas: { user: area } } },
      { files: { areas: { user: { as: 'reader' } } } },
      'add files.areas.user',
    ],
    [
      'file-area-participant',
      { participant: 'p', files: { areas: { participant: area } } },
      { files: { areas: { participant: area } } },
      'add files.areas.participant and participant',
    ],
    [
      'second-participant',
      { files: { areas: {}, secondParticipant: { id: 'q', as: 'secondEditor' } } },
      { files: { areas: {}, secondParticipant: { id: 'q', as: 'noRole' } } },
      'add files.secondParticipant with an identity that has a credential',
    ],
    [
      'acquire-identity',
      { apiKeys: { acquireAs: 'signature' } },
      { apiKeys: { acquireAs: 'administrator' } },
      'add apiKeys.acquireAs, and an administrator in identities where it says so',
    ],
  ])('%s is met by its key, and names it where it is missing', (need, meeting, lacking, hint) => {
    expect(hintOf(need, meeting)).toBeUndefined();
    expect(hintOf(need, lacking)).toBe(hint);
  });
});
