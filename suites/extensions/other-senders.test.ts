import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startReference } from '../../api/deployment.ts';
import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { configurationOf, type SeedSource } from '../../reference-server/load-configuration.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { replaces } from '../../variants/breaks.ts';
import { catalogue } from '../catalogue.ts';

const noRecord = 'none';

/** The seed of the package, but that the Collection Administrator has a role in the space. */
async function configurationWithOneForAll() {
  const seed = parse(await readFile(new URL('../../fixtures/seed.yaml', import.meta.url), 'utf8')) as SeedSource;
  const { owner } = seed.spaces['main']?.participants ?? {};
  if (owner !== undefined) owner['cora'] = 'editor';
  return configurationOf({ space: undefined, seed });
}

/** The same profile, with triggers that somebody else sends. */
function sentBy(as: IdentityName, profile: Profile): Profile {
  const { carryHeaders, subscribedAs, ...triggers } = profile.triggers ?? {};
  const changed = Object.entries(triggers).map(([name, request]) => [name, { ...request, as }]);
  return { ...profile, triggers: { ...Object.fromEntries(changed), carryHeaders, subscribedAs } };
}

const byOthers: readonly (readonly [RuleId, IdentityName])[] = [
  ['calls.action.form-fields', 'secondEditor'],
  ['calls.action.form-fields', 'administrator'],
  ['calls.action.common-fields', 'administrator'],
  ['calls.token.accepted-by-api', 'administrator'],
  ['calls.token.no-more-rights', 'administrator'],
  ['calls.trusted.access-token-appended', 'administrator'],
];

test.each(byOthers)('%s is judged where triggers are sent by the %s', async (rule, as) => {
  const configuration = await configurationWithOneForAll();
  await using server = await startReference({}, (options) => createVariant({ ...options, configuration }));
  const { loaded } = server;
  await using open = openJudge(catalogue, {
    loaded: { ...loaded, profile: sentBy(as, loaded.profile) },
    seed: 1,
    runs: 1,
  });
  const { outcome } = await open.judge(rule, new AbortController().signal);
  expect([outcome?.verdict, outcome?.reason ?? outcome?.violation?.actual]).toEqual(['pass', undefined]);
});

/** A trigger of that profile names the registration and no record. */
const byRegistrationAlone = replaces('triggeredCalls', 'addresseeOf', async (right, areas, reading, type, named) => {
  if (named.recordId !== noRecord) return right(areas, reading, type, named);
  const addresses = await areas.registry.recordsOfType(reading, type);
  const address = addresses.find(({ registrationId }) => registrationId === named.registrationId);
  return right(areas, reading, type, { ...named, recordId: address?.recordId ?? noRecord });
});

const byRegistration: readonly RuleId[] = [
  'delivery.event.no-sixth-retry',
  'delivery.timeout.configured',
  'delivery.history.matches-model',
  'registration.history.matches-model',
];

test.each(byRegistration)('%s is judged where events are for a host, and for no record of it', async (rule) => {
  await using server = await startReference({ faults: [byRegistrationAlone] });
  const { loaded } = server;
  const { event } = loaded.profile.triggers ?? {};
  const named = JSON.stringify(event).replace('{{recordId}}', noRecord);
  const triggers = { ...loaded.profile.triggers, event: JSON.parse(named) as NonNullable<typeof event> };
  await using open = openJudge(catalogue, {
    loaded: { ...loaded, profile: { ...loaded.profile, triggers } },
    seed: 20,
    runs: 1,
  });
  const { outcome } = await open.judge(rule, new AbortController().signal);
  expect([outcome?.verdict, outcome?.reason ?? outcome?.violation?.actual]).toEqual(['pass', undefined]);
});
