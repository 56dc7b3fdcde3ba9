import { createHash } from 'node:crypto';
import type { IdentityName, Profile } from '../../../contract/profile.ts';
import { type LoadPlan, usualTimeoutMs } from '../engine.ts';
import { groundOf, informationFilterOf } from '../ground-of.ts';
import type { Ground } from '../ground.ts';
import { journeyNames } from '../journey.ts';
import type { CredentialNames, Plan } from '../k6/plan.ts';
import { usualObjects, type JourneyName, type Mix } from '../mix.ts';
import { lackingInK6, selectJourneys } from '../needs.ts';

/** A run that cannot be made elsewhere: says what was expected and found, and what to do. */
export class ExportError extends Error {
  readonly code = 'EXPORT';
  override readonly name = 'ExportError';
}

/** What is to be run elsewhere. */
export interface TrafficExport {
  readonly profile: Profile;
  /** Journeys that the profile does not allow are left out of its mix. */
  readonly plan: LoadPlan;
  /** In the words of the mix. */
  readonly thresholds: readonly string[];
  /** Parts of the ground that the profile does not tell: objects that are there already, a trigger. */
  readonly ground?: Partial<Ground>;
  readonly timeoutMs?: number;
}

const usualTokenLifetimeSeconds = 300;
const clientNames = { id: 'TRAFFIC_CLIENT_ID', secret: 'TRAFFIC_CLIENT_SECRET' } as const;

/** A plan, and sentences on what it goes without. */
export interface PlanMade {
  readonly plan: Plan;
  readonly remarks: readonly string[];
}

/**
 * Everything that the script runs by, without a secret. @throws {ExportError} a profile without credentials of an identity, with a secret in
 * another place, or one that allows none of the journeys
 */
export function planOf({
  profile,
  plan: wanted,
  thresholds,
  timeoutMs = usualTimeoutMs,
  ground: further,
}: TrafficExport): PlanMade {
  if (wanted.mix.own !== undefined)
    throw new ExportError('Expected bundled journeys only to export: those of your own cannot be given to k6.');
  const ground: Ground = { ...groundOf(profile, wanted.seed), ...further };
  const { mix, remarks } = selectJourneys(wanted.mix, ground, lackingInK6);
  if (Object.keys(mix.journeys).length === 0)
    throw new ExportError(`Expected a journey that k6 can make with this profile, found none. ${remarks.join(' ')}`);
  const { grant, ...rest } = ground;
  const { auth } = profile;
  const hasClient = auth?.clientId !== undefined;
  const plan: Plan = {
    implementation: profile.implementation,
    baseUrl: profile.baseUrl,
    ...wanted,
    mix,
    mixDigest: createHash('sha256').update(JSON.stringify(mix)).digest('hex').slice(0, 16),
    timeoutMs,
    thresholds,
    objects: mix.objects ?? usualObjects,
    // whoever gets tokens by Basic needs the client
    ground:
      grant === undefined || !hasClient
        ? rest
        : { ...rest, grant: { path: grant.path, form: grantForm(credentialNamesOf(profile, 'editor')) } },
    identities: Object.fromEntries(identitiesIn(ground, mix).map((name) => [name, credentialNamesOf(profile, name)])),
    ...(auth?.tokenUrl !== undefined && { tokenPath: auth.tokenUrl }),
    ...(hasClient && { client: clientNames }),
    tokenLifetimeSeconds: auth?.tokenLifetimeSeconds ?? usualTokenLifetimeSeconds,
    ...informationFilterOf(profile),
  };
  assertWithoutSecret(plan, profile);
  return { plan, remarks };
}

/** Names of the environment variables that a plan needs. */
export function variablesOf({ identities, client }: Plan): readonly string[] {
  const names = Object.values(identities).flatMap((names) =>
    names.kind === 'token' ? [names.token] : [names.username, names.password],
  );
  return [...names, ...(client === undefined ? [] : [client.id, client.secret])];
}

/** Those that the journeys of the mix come as. */
export function identitiesIn(ground: Ground, { journeys }: Pick<Mix, 'journeys'>): readonly IdentityName[] {
  const { fileArea, conditional, trigger, strangers = [] } = ground;
  const further: Readonly<Partial<Record<JourneyName, readonly (IdentityName | undefined)[]>>> = {
    author: [ground.reader],
    'file-user': [fileArea?.as],
    'extension-life': [trigger?.as],
    'gate-keeper': [conditional?.as, conditional?.change?.as, ...strangers.map(({ as }) => as)],
  };
  const names = journeyNames.flatMap((name) => (journeys[name] === undefined ? [] : (further[name] ?? [])));
  return [...new Set<IdentityName>(['editor', ...names.filter((name) => name !== undefined)])];
}

function credentialNamesOf({ auth, identities }: Profile, name: IdentityName): CredentialNames {
  const identity = identities[name];
  const prefix = `TRAFFIC_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  if (identity?.token !== undefined) return { kind: 'token', token: `${prefix}_TOKEN` };
  if (auth?.tokenUrl !== undefined && identity?.username !== undefined && identity.password !== undefined)
    return { kind: 'grant', username: `${prefix}_USERNAME`, password: `${prefix}_PASSWORD` };
  throw new ExportError(
    `Expected a token, or username, password and auth.tokenUrl, for identities.${name} in the profile: journeys come as ${name}. Add them.`,
  );
}

function grantForm(names: CredentialNames): string {
  if (names.kind === 'token')
    throw new ExportError(
      'Expected username and password of identities.editor in the profile, found a token: a journey gets tokens by grant. Leave the token out.',
    );
  return `grant_type=password&username={{${names.username}}}&password={{${names.password}}}&scope=All`;
}

/** A secret in a header or a body of the profile would go along unseen. */
function assertWithoutSecret(plan: Plan, { auth, identities, bulk }: Profile): void {
  const text = JSON.stringify(plan);
  const secrets = [
    auth?.clientSecret,
    auth?.signingKey,
    bulk?.adminApiKey,
    ...Object.values(identities).flatMap(({ password, token, pat }) => [password, token, pat]),
  ];
  const found = secrets.some(
    (secret) => secret !== undefined && secret !== '' && text.includes(JSON.stringify(secret).slice(1, -1)),
  );
  if (found)
    throw new ExportError(
      'Expected no password, token or key of the profile in what the journeys send, found one. Take it out of the paths, headers and bodies of the profile: what is exported is no place for secrets.',
    );
}
