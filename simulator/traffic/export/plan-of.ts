import { createHash } from 'node:crypto';
import type { IdentityName, Profile } from '../../../contract/profile.ts';
import type { Load } from '../engine.ts';
import { groundOf } from '../ground-of.ts';
import type { Ground } from '../ground.ts';
import type { CredentialNames, Plan } from '../k6/plan.ts';
import type { Mix } from '../mix.ts';
import { ExportError } from './export-error.ts';

/** What is to be run elsewhere. */
export interface TrafficExport {
  readonly profile: Profile;
  readonly mix: Mix;
  readonly load: Load;
  readonly durationMs: number;
  readonly rampMs: number;
  readonly seed: number;
  /** In the words of the mix. */
  readonly thresholds: readonly string[];
  /** Parts of the ground that the profile does not tell: objects that are there already, a trigger. */
  readonly ground?: Partial<Ground>;
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 30_000;
const usualObjects = 50;
const usualTokenLifetimeSeconds = 300;
const clientNames = { id: 'TRAFFIC_CLIENT_ID', secret: 'TRAFFIC_CLIENT_SECRET' } as const;

/** Everything that the script runs by, without a secret. @throws {ExportError} a profile without credentials of an identity, or with a secret in another place */
export function planOf({
  profile,
  mix,
  load,
  durationMs,
  rampMs,
  seed,
  thresholds,
  timeoutMs = usualTimeoutMs,
  ground: further,
}: TrafficExport): Plan {
  const ground: Ground = { ...groundOf(profile, seed), ...further };
  const { grant, ...rest } = ground;
  const { auth, informationFilter } = profile;
  const hasClient = auth?.clientId !== undefined;
  const plan: Plan = {
    implementation: profile.implementation,
    baseUrl: profile.baseUrl,
    mix,
    mixDigest: createHash('sha256').update(JSON.stringify(mix)).digest('hex').slice(0, 16),
    load,
    durationMs,
    rampMs,
    seed,
    timeoutMs,
    thresholds,
    objects: mix.objects ?? usualObjects,
    // whoever gets tokens by Basic needs the client
    ground:
      grant === undefined || !hasClient
        ? rest
        : { ...rest, grant: { path: grant.path, form: grantForm(credentialNamesOf(profile, 'editor')) } },
    identities: Object.fromEntries(identitiesIn(ground).map((name) => [name, credentialNamesOf(profile, name)])),
    ...(auth?.tokenUrl !== undefined && { tokenPath: auth.tokenUrl }),
    ...(hasClient && { client: clientNames }),
    tokenLifetimeSeconds: auth?.tokenLifetimeSeconds ?? usualTokenLifetimeSeconds,
    ...(informationFilter && {
      informationFilter: Buffer.from(JSON.stringify(informationFilter.default)).toString('base64'),
    }),
  };
  assertWithoutSecret(plan, profile);
  return plan;
}

/** Names of the environment variables that a plan needs. */
export function variablesOf({ identities, client }: Plan): readonly string[] {
  const names = Object.values(identities).flatMap((names) =>
    names.kind === 'token' ? [names.token] : [names.username, names.password],
  );
  return [...names, ...(client === undefined ? [] : [client.id, client.secret])];
}

function identitiesIn({ fileArea, conditional, trigger }: Ground): readonly IdentityName[] {
  const further = [fileArea?.as, conditional?.as, conditional?.change?.as, trigger?.as].filter(
    (name) => name !== undefined,
  );
  return [...new Set<IdentityName>(['editor', ...further])];
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
