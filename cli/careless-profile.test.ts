import { expect, test } from 'vitest';
import { startReference } from '../api/deployment.ts';
import { headerOf, judgeRun } from '../api/judging.ts';
import type { Profile } from '../contract/profile.ts';
import type { RuleId } from '../contract/rule.ts';
import { patient } from './published/texts.ts';

type Triggers = NonNullable<Profile['triggers']>;

/** Rules that would blame the service for a trigger that is not right, and what is left out of the profile. */
const careless: readonly (readonly [left: string, rules: readonly RuleId[], sentence: string, leave: Leave])[] = [
  [
    'the version of an operation that is validated',
    [
      'metadata.capability.soft-type-limits-validation',
      'delivery.validation.retry-gaps',
      'delivery.validation.recovers',
    ],
    'triggers.validation was answered 412 where no extension validates it',
    ({ validation, ...triggers }) => ({ ...triggers, validation: { ...Object(validation), headers: {} } }),
  ],
  [
    'the extension of an event',
    ['delivery.success.201-sent-once', 'calls.event.content-payload-equal'],
    'triggers.event names no extension',
    ({ event, ...triggers }) => ({
      ...triggers,
      ...(event && { event: withoutText(withoutText(event, '{{recordId}}'), '{{registrationId}}') }),
    }),
  ],
  [
    'the context object of an action',
    ['calls.action.ribbon-context'],
    'triggers.actionRibbonInContext of the profile has no place for {{contextObjectId}}',
    (triggers) => withoutText(triggers, '{{contextObjectId}}'),
  ],
];

type Leave = (triggers: Triggers) => Triggers;

test.each(careless)('without %s nothing is said against the service', async (_left, rules, sentence, leave) => {
  for (const { verdict, reason } of await outcomesWithout(leave, rules))
    expect([verdict, reason]).toEqual(['blocked', expect.stringContaining(sentence)]);
});

test('events that name no extension are set off by no other rule either', async () => {
  const [, , , leave] = careless[1] ?? [];
  const outcomes = await outcomesWithout(leave ?? ((triggers) => triggers), ['metadata.fetch.on-update']);
  expect(outcomes.map(({ verdict }) => verdict)).toEqual(['pass']);
});

test('histories leave out the validations that would be refused anyhow', async () => {
  const [, , , leave] = careless[0] ?? [];
  const outcomes = await outcomesWithout(leave ?? ((triggers) => triggers), ['delivery.history.matches-model']);
  expect(outcomes.map(({ verdict }) => verdict)).toEqual(['pass']);
});

test('an administrator who is said to hold a role in the space is not held to having none', async () => {
  const holding = ({ identities, ...profile }: Profile): Profile => {
    const administrator = { ...identities.administrator, methods: ['GET'] };
    return { ...profile, identities: { ...identities, administrator } };
  };
  for (const { verdict, reason } of await outcomesOf(['collection.admin.no-space-access'], holding))
    expect([verdict, reason]).toEqual(['blocked', expect.stringContaining('identities.administrator.methods')]);
});

function outcomesWithout(leave: Leave, rules: readonly RuleId[]) {
  return outcomesOf(rules, (profile) => ({ ...profile, triggers: leave(profile.triggers ?? {}) }));
}

async function outcomesOf(rules: readonly RuleId[], change: (profile: Profile) => Profile) {
  await using target = await startReference();
  const loaded = patient({ ...target.loaded, profile: change(target.loaded.profile) });
  const run = { loaded, rules, seed: 1, runs: 1 };
  const { outcomes } = await judgeRun(
    {
      run,
      header: headerOf(run, { command: 'check' }),
      startedAt: performance.now(),
      signal: new AbortController().signal,
    },
    { onOutcome: () => undefined, onUnusable: () => undefined },
  );
  return outcomes.filter(({ rule }) => rules.includes(rule));
}

/** With every member left out whose value is that text. */
function withoutText<Value>(value: Value, text: string): Value {
  return JSON.parse(JSON.stringify(value, (_name, member: unknown) => (member === text ? undefined : member)));
}
