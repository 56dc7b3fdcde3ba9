import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Profile } from '../contract/profile.ts';
import type { SeedSource } from '../reference-server/load-configuration.ts';
import { check, startServer } from './index.ts';

type Seeding = Required<SeedSource>;
type Identities = { -readonly [Name in keyof Profile['identities']]: Profile['identities'][Name] };

const seedText = readFileSync(new URL('../fixtures/seed.yaml', import.meta.url), 'utf8');
type Methods = Seeding['roles'][string]['methods'];
const withoutDelete: Methods = ['GET', 'POST', 'PUT', 'PATCH'];
const withoutPut: Methods = ['GET', 'POST', 'PATCH', 'DELETE'];

interface Deployment {
  readonly who: string;
  readonly seed: (seed: Seeding) => void;
  /** What its profile says of that. */
  readonly stated?: (identities: Identities) => void;
  readonly passes?: readonly string[];
  readonly blocks?: readonly string[];
}

const editorsOnly = (methods: Methods, isStated: boolean): Pick<Deployment, 'seed' | 'stated'> => ({
  seed: ({ roles }) => void (roles['editor'] = { methods }),
  stated: (identities) => {
    for (const name of ['editor', 'secondEditor'] as const) {
      const { methods: _methods, ...identity } = identities[name] ?? {};
      identities[name] = isStated ? { ...identity, methods } : identity;
    }
  },
});

/** Deployments give their people other roles than the bundled one: a refusal for that is right. */
const deployments: readonly Deployment[] = [
  {
    who: 'an editor has no role in the second space',
    seed: ({ spaces }) => void delete spaces['depot']?.participants['keeper']?.['edda'],
    passes: [
      'registration.history.matches-model',
      'files.isolation.between-spaces',
      'files.chunk.every-area',
      'bulk-upload.space.uploads-tree',
      'tasks.callback.foreign-space-fails',
    ],
  },
  {
    who: 'one user edits and administers the collection',
    seed: ({ users }) => void Object.assign(users['edda'] ?? {}, { collectionAdministrator: true }),
    stated: (identities) => void (identities.administrator = identities.editor),
    passes: [
      'registration.auth.non-administrator-403',
      'calls.trusted.access-token-appended',
      'calls.token.no-more-rights',
      'collection.space-editor.status-403',
      'files.auth.collection-non-admin-403',
    ],
  },
  {
    who: 'the role of editors has no DELETE',
    ...editorsOnly(withoutDelete, true),
    blocks: ['batch.route.lock-objects', 'patch.delete.object-gone', 'auth.role.reader-delete-403'],
  },
  {
    who: 'it has none, and the profile does not say so',
    ...editorsOnly(withoutDelete, false),
    blocks: ['batch.route.lock-objects', 'auth.role.reader-delete-403', 'delivery.queue.delete-cancels'],
  },
  {
    who: 'the role of editors has no PUT',
    ...editorsOnly(withoutPut, true),
    passes: ['batch.version.absent-412', 'patch.target.unknown-object-404', 'versioning.race.one-writer-wins'],
    blocks: ['batch.route.put', 'maturity.promote.absent-version-412', 'versioning.absent.put-412'],
  },
  {
    who: 'it has none, and the profile does not say so',
    ...editorsOnly(withoutPut, false),
    blocks: ['batch.route.put', 'maturity.promote.absent-version-412', 'versioning.absent.put-412'],
  },
  {
    who: 'readers may write',
    seed: ({ roles }) => void (roles['reader'] = { methods: ['GET', 'POST'] }),
    stated: (identities) => void (identities.reader = { ...identities.reader, methods: ['GET', 'POST'] }),
    blocks: ['batch.auth.forbidden-operation', 'auth.role.reader-create-403'],
  },
];

test.each(deployments)('nothing fails where $who', async ({ seed: change, stated, passes = [], blocks = [] }) => {
  const seed = parse(seedText) as Seeding;
  change(seed);
  await using server = await startServer({ seed });
  const profile = structuredClone(server.profile);
  stated?.(profile.identities);
  const { outcomes } = await check({ profile, rules: [...passes, ...blocks], seed: 11, runs: 5 });
  const verdicts = Object.fromEntries(outcomes.map(({ rule, verdict }) => [rule, verdict]));
  expect(verdicts).toEqual({
    ...Object.fromEntries(passes.map((rule) => [rule, 'pass'])),
    ...Object.fromEntries(blocks.map((rule) => [rule, 'blocked'])),
  });
});
