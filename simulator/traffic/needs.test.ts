import { describe, expect, test } from 'vitest';
import type { Profile } from '../../contract/profile.ts';
import { groundOf } from './ground-of.ts';
import type { Ground } from './ground.ts';
import { journeyNames } from './journey.ts';
import type { JourneyName, Mix } from './mix.ts';
import { lackingInK6, selectJourneys } from './needs.ts';

const softType = { definitionId: 'Document', inputSchemaId: 'in', outputSchemaId: 'out', body: {} };

const least: Profile = {
  profileVersion: 1,
  implementation: 'lean',
  baseUrl: 'http://localhost',
  space: 'main',
  identities: { editor: { token: 'ready' } },
};

const lean: Profile = { ...least, softTypes: { primary: softType } };

const all: Mix = {
  mixVersion: 1,
  journeys: Object.fromEntries(journeyNames.map((name, index) => [name, { weight: index + 1 }])),
};

function leftOf(profile: Profile, more: Partial<Ground> = {}): readonly string[] {
  return Object.keys(selectJourneys(all, { ...groundOf(profile, 1), ...more }).mix.journeys).toSorted();
}

function sentenceOn(name: JourneyName, profile: Profile): string {
  return selectJourneys({ mixVersion: 1, journeys: { [name]: { weight: 1 } } }, groundOf(profile, 1)).remarks.join(' ');
}

describe('a journey is left out, with the line that would unlock it', () => {
  test.each<[JourneyName, Profile, string]>([
    ['reader', least, 'softTypes.primary.'],
    ['author', least, 'softTypes.primary.'],
    ['author', lean, 'softTypes.primary.scalars.'],
    ['editor-pair', lean, 'softTypes.primary.scalars.'],
    ['importer', least, 'softTypes.primary.'],
    ['approver', lean, 'maturity.'],
    ['file-user', lean, 'files.areas.'],
    ['extension-life', lean, 'listener, triggers.event and identities.administrator.'],
    ['gate-keeper', least, 'softTypes.primary or caching.'],
    ['bulk-loader', lean, 'bulk.adminApiKey, bulk.hostDirectory and files.areas.space.'],
    ['task-runner', lean, 'listener, triggers.task and identities.administrator.'],
    [
      'key-holder',
      lean,
      'listener, identities.administrator and apiKeys.acquireAs as administrator, editor or signature.',
    ],
  ])('%s', (name, profile, keys) => {
    expect(sentenceOn(name, profile)).toBe(`${name} was left out: the profile does not name ${keys}`);
  });
});

describe('a documented route that is not offered', () => {
  const scalars = ['note', 'title'];
  const without = (...lacking: readonly string[]): Profile => ({
    ...lean,
    softTypes: { primary: { ...softType, scalars } },
    multiCreate: { resultHref: '/{index}/href' },
    notSupported: Object.fromEntries(lacking.map((need) => [need, 'not built'])),
  });

  test.each<[JourneyName, readonly string[], string]>([
    ['author', ['operations'], 'author was left out: notSupported of the profile names operations.'],
    ['importer', ['batch'], 'importer went without batches: notSupported of the profile names batch.'],
    ['importer', ['batch', 'multi-create'], 'importer was left out: notSupported of the profile names batch.'],
  ])('%s without %j', (name, lacking, sentence) => expect(sentenceOn(name, without(...lacking))).toContain(sentence));
});

describe('what is left', () => {
  test.each<[string, Profile, readonly JourneyName[]]>([
    ['of a profile without anything', least, []],
    ['of a SoftType without members', lean, ['gate-keeper', 'importer', 'reader']],
    ['of files alone', { ...least, files: { areas: { user: { as: 'editor' } } } }, ['file-user']],
    ['of caching alone', { ...least, caching: { resources: [{ path: '/profile' }] } }, ['gate-keeper']],
    ['of an area whose identity is missing', { ...least, files: { areas: { space: { as: 'administrator' } } } }, []],
  ])('%s', (_what, profile, names) => expect(leftOf(profile)).toEqual(names));

  test('extension-life, where events can be taken', () => {
    expect(leftOf(least, { trigger: { method: 'POST', path: '/event', as: 'editor', body: {} } })).toEqual([
      'extension-life',
    ]);
  });

  test('the weights, and nothing of weight 0 is spoken of', () => {
    const { mix, remarks } = selectJourneys(
      { mixVersion: 1, journeys: { reader: { weight: 3, thinkMs: [1, 2] }, approver: { weight: 0 } } },
      groundOf(lean, 1),
    );
    expect(mix.journeys).toEqual({ reader: { weight: 3, thinkMs: [1, 2] } });
    expect(remarks.join(' ')).toBe(
      'reader went without pages: the profile does not name softTypes.primary.arrayPort. reader went without reads through a filter: the profile does not name filters.fixed.',
    );
  });
});

test('k6 has reasons of its own', () => {
  const { remarks } = selectJourneys(
    { mixVersion: 1, journeys: { 'extension-life': { weight: 1 }, 'gate-keeper': { weight: 1 } } },
    groundOf(lean, 1),
    lackingInK6,
  );
  expect(remarks).toContain(
    'extension-life was left out: k6 has no extension host that its events could be delivered to.',
  );
  expect(remarks).toContain(
    'gate-keeper went without expired tokens: an expired token is made from a fresh one by the key of the profile, and neither is exported.',
  );
});
