import { startHostTaking } from '../../api/deployment.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { extensionProfileFrom } from '../../judge/profile/host-profile.ts';
import { randomFrom } from '../../simulator/traffic/chance.ts';
import { catalogue } from '../../suites/catalogue.ts';
import type { HostChoice } from '../../variants/extension-host/choice.ts';
import { hostChoices, hostFreedoms } from '../../variants/extension-host/choices.ts';
import { namesOf, type Part, shuffled } from './draw.ts';
import { type Asked, type Ended, judgeOnce } from './judge.ts';
import { carelessProfile, keysOf } from './profile.ts';

/** Without these there is no host to judge, or none whose time can be moved. */
const kept = /^extensionHost(?:\.(?:hostUri|apiKey|time)\b.*)?$/;

/** Shares of the freedoms that a host makes use of and of the keys that its profile lacks, each from the first to the second; one pair by lot. */
const manners: readonly { readonly choice: readonly [number, number]; readonly key: readonly [number, number] }[] = [
  { choice: [0.1, 1], key: [0, 0] },
  { choice: [0.1, 1], key: [0.05, 0.4] },
  { choice: [0, 0.2], key: [0.05, 0.7] },
];

/** Dotted paths of what somebody may have left out of a profile of an extension host. */
export function hostKeysOf(profile: Profile): readonly string[] {
  return keysOf(profile).filter((key) => key.startsWith('extensionHost.') && !kept.test(key));
}

/** What the run of that seed consists of: of each freedom one choice or none, and the keys that the profile lacks. */
export function drawHostParts(seed: number, keys: readonly string[]): readonly Part[] {
  const random = randomFrom(seed);
  const oneOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const { choice, key } = oneOf(manners) ?? { choice: [0, 0], key: [0, 0] };
  const shareOf = ([least, most]: readonly [number, number]): number => least + (most - least) * random();
  const [ofFreedoms, ofKeys] = [shareOf(choice), shareOf(key)];
  const names = hostFreedoms.filter(() => random() < ofFreedoms).map(({ choices }) => oneOf(choices)?.meets ?? '');
  const lacking = keys.filter(() => random() < ofKeys);
  return [
    ...shuffled(names, random).map((name) => ({ kind: 'choice', name }) as const),
    ...lacking.map((name) => ({ kind: 'key', name }) as const),
  ];
}

/** Judges the host that takes the choices by the profile that lacks the rest. */
export function judgeHostParts({ parts, rules, seed }: Asked): Promise<Ended> {
  return judgeHost(hostChoices(namesOf('choice', parts)), { without: namesOf('key', parts), rules, seed });
}

/** What the metadata of the host declare, or its choices leave unseen, is no outcome. @param asked `without`: keys that the profile lacks */
export async function judgeHost(
  choices: readonly HostChoice[],
  { without = [], rules, seed }: Omit<Asked, 'parts'> & { readonly without?: readonly string[] },
): Promise<Ended> {
  await using target = await startHostTaking(choices);
  const { loaded } = target;
  const profile = carelessProfile(loaded.profile, { needs: [], keys: without }, readHostProfile);
  const ended = await judgeOnce({ loaded: { ...loaded, profile }, rules, seed, runs: 1 });
  const { notSupported: declared = {} } = profile;
  const unseen = choices.flatMap(({ mayNotShow = [] }) => mayNotShow);
  const isExplained = ({ rule, verdict, reason = '' }: Outcome): boolean =>
    ['blocked', 'broken'].includes(verdict) &&
    (catalogue.get(rule).needs.some((need) => need in declared) ||
      (unseen.includes(rule) && reason.includes('not exercised: ')));
  return { ...ended, outcomes: ended.outcomes.filter((outcome) => !isExplained(outcome)) };
}

/** The same profile. @throws {ProfileError} it is none of an extension host */
function readHostProfile(profile: Profile): Profile {
  const { profileVersion, implementation, extensionHost, notSupported } = profile;
  const stated = { profileVersion, implementation, extensionHost, notSupported };
  extensionProfileFrom(JSON.stringify(stated), 'swarm', {}, catalogue.ids);
  return profile;
}
