import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { credentialsIn, secretName } from '../../contract/credentials.ts';
import { pointer, valueAt } from '../json.ts';
import { Secrets } from './redact.ts';

/** A secret of the profile: where it stands, what it is, and the variable that stands for it. */
interface NamedSecret {
  readonly path: string;
  readonly value: string;
  readonly variable: string;
}

/** Values that may come from the environment without being secret. */
const open =
  /^(implementation|baseUrl|tls\.(issuer|certificate)|space|participant|auth\.(tokenUrl|clientId|signingKeyForm)|identities\.\w+\.username|probes\.log\.(url|file)|secondSpace|softTypes|routes|limits|openApi|expect|listener|allowHosts|baseAddress|triggers|files|bulk\.(hostDirectory|routePrefix)|tasks|apiKeys|time\.(mode|control\.url)|restart\.url|filters|maturity|collection|extensionHost\.(hostUri|samples|time\.(mode|control\.url)))\b/;

/** The secrets that a profile holds: known keys, and whatever else came from a variable. */
export function secretsOf(loaded: LoadedProfile): readonly NamedSecret[] {
  const { profile, variables } = loaded;
  const named = [...identitySecrets(loaded), ...otherSecrets(loaded), ...writtenSecrets(loaded)];
  const paths = new Set(named.map((secret) => secret.path));
  const further = Object.entries(variables)
    .filter(([path]) => !paths.has(path) && !open.test(path))
    .map(([path, variable]) => ({ path, variable, value: textAt(profile, path) ?? '' }));
  return [...named, ...further];
}

/** A registry that knows them. */
export function registryOf(loaded: LoadedProfile): Secrets {
  const secrets = new Secrets();
  for (const { variable, value } of secretsOf(loaded)) secrets.add(variable, value);
  const { password } = loaded.profile.identities.editor;
  // they are sent, and tell as much as the right one
  for (const [variable, secret] of [
    ['EDITOR_PASSWORD', password],
    ['CLIENT_SECRET', loaded.profile.auth?.clientSecret],
  ] as const) {
    if (secret === undefined) continue;
    secrets.addMadeOf(secret, `${variable}_OTHER_CASE`, withOtherCase);
    secrets.addMadeOf(secret, `${variable}_BEGINNING`, withoutEnd);
  }
  const { signingKey, signingKeyForm } = loaded.profile.auth ?? {};
  if (signingKey !== undefined && signingKeyForm === 'base64')
    secrets.add('SIGNING_KEY', Buffer.from(signingKey, 'base64').toString());
  return secrets;
}

/** The password with its last letter in the other case; as it is where it has no two letters. Some forgive the first one, and all of them at once. */
export function withOtherCase(password: string): string {
  return password.replace(/(?<=[a-z].*)[a-z](?=[^a-z]*$)/i, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

/** Length from which on the beginning of a secret is no word that stands elsewhere too. */
const shortestBeginning = 11;

/** The secret without its last character; as it is where what is left may be a word. A service may pass over blanks around it. */
export function withoutEnd(secret: string): string {
  const shorter = secret.trim().slice(0, -1).trim();
  return shorter.length < shortestBeginning ? secret : shorter;
}

/** `secondEditor` -> `SECOND_EDITOR`. */
export function upper(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function identitySecrets({ profile, variables }: LoadedProfile): readonly NamedSecret[] {
  return Object.entries(profile.identities).flatMap(([name, identity]) =>
    (['password', 'token', 'pat'] as const).flatMap((kind) => {
      const path = `identities.${name as IdentityName}.${kind}`;
      const value = identity[kind];
      return value === undefined ? [] : [{ path, value, variable: variables[path] ?? `${upper(name)}_${upper(kind)}` }];
    }),
  );
}

/** Other secrets than those of identities, by where they stand. */
const otherNames: Readonly<Record<string, string>> = {
  'auth.clientSecret': 'CLIENT_SECRET',
  'auth.signingKey': 'SIGNING_KEY',
  'auth.expiredToken': 'EXPIRED_TOKEN',
  'auth.idTokenExchange.idToken': 'ID_TOKEN',
  'auth.idTokenExchange.foreignIdToken': 'FOREIGN_ID_TOKEN',
  'tls.key': 'CLIENT_KEY',
  'tls.passphrase': 'CLIENT_KEY_PASSPHRASE',
  'listener.tls.key': 'LISTENER_KEY',
  'probes.log.token': 'LOG_TOKEN',
  'bulk.adminApiKey': 'ADMIN_API_KEY',
  'extensionHost.apiKey': 'EXTENSION_API_KEY',
  'extensionHost.time.control.token': 'HOST_CLOCK_TOKEN',
  'time.control.token': 'CLOCK_TOKEN',
  'restart.token': 'RESTART_TOKEN',
};

function otherSecrets({ profile, variables }: LoadedProfile): readonly NamedSecret[] {
  return Object.entries(otherNames).flatMap(([path, name]) => {
    const value = textAt(profile, path);
    return value === undefined ? [] : [{ path, value, variable: variables[path] ?? name }];
  });
}

function textAt(profile: Profile, path: string): string | undefined {
  const value = valueAt(profile, pointer(...path.split('.')));
  return value === undefined ? undefined : String(value);
}

const inAddresses = [
  'baseUrl',
  'proxy',
  'baseAddress',
  'auth',
  'probes',
  'bulk',
  'restart',
  'time',
  'extensionHost',
] as const;

/** What addresses hold, and the members of a form that are named after secrets. */
function writtenSecrets({ profile, variables }: LoadedProfile): readonly NamedSecret[] {
  const found = inAddresses.flatMap((key) => textsIn(profile[key], key));
  const ofForm = found.filter(
    ([path, text]) => path.includes('.form.') && secretName.test(path) && !text.includes('{{') && text !== '',
  );
  return [
    ...ofForm.map(([path, value]) => ({ path, value, variable: variables[path] ?? nameOf(path) })),
    ...found.flatMap(([path, text]) =>
      credentialsIn(text).map((value) => ({ path, value, variable: `${nameOf(path)}_CREDENTIAL` })),
    ),
  ];
}

/** `auth.idTokenExchange.form.client_secret` -> `AUTH_ID_TOKEN_EXCHANGE_FORM_CLIENT_SECRET`. */
function nameOf(path: string): string {
  return path.split('.').map(upper).join('_').replaceAll(/\W/g, '_');
}

/** Every text below a key, by its path. */
function textsIn(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, `${path}.${name}`));
}
