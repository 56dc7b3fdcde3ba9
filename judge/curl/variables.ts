import type { IdentityName, Profile } from '../../contract/profile.ts';
import { bulkLevels, bulkPaths, bulkSignature } from '../files/bulk.ts';
import { signatureCommand } from '../service/signature.ts';
import { absoluteUrl } from '../service/requests.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { identitiesIn, isGranted } from '../service/roles.ts';
import type { Secrets } from '../redact/redact.ts';
import { registryOf, secretsOf, upper } from '../redact/profile-secrets.ts';
import { curlHomeName } from '../../contract/names.ts';
import { quoted } from './curl.ts';

/** How a reader of a report gets each variable that its curl lines use: name -> a shell line, or where to find it. */
export function variablesOf(loaded: LoadedProfile): Readonly<Record<string, string>> {
  const secrets = secretsOf(loaded);
  const registry = registryOf(loaded);
  const stated = secrets.map(({ variable, path }) => [variable, `# ${path} of the profile`] as const);
  const byPath = new Map(secrets.map(({ path, variable }) => [path, variable]));
  const granted = identitiesIn(loaded.profile)
    .filter((name) => isGranted(loaded.profile, name))
    .map((name) => [tokenVariable(name), grantLine({ profile: loaded.profile, registry }, name, byPath)] as const);
  return Object.fromEntries([
    ...stated,
    ...granted,
    ...bulkSignatures(loaded.profile, byPath.get('bulk.adminApiKey')),
    ...curlHome(loaded.profile),
    ...hostDirectory(loaded.profile),
    ...(loaded.profile.extensionHost === undefined ? [] : [[envelopeTokenName, unsignedTokenLine] as const]),
  ]);
}

/** What stands for the token of a call that the suite makes in the place of a service. */
export const envelopeTokenName = 'ENVELOPE_TOKEN';

export const hostDirectoryName = 'HOST_DIRECTORY';
export const mountedAtName = 'MOUNTED_AT';

export const unsignedTokenParts = ['{"alg":"HS512","typ":"JWT"}', '{"sub":"conformance","exp":4102444800}', 'unsigned'];

const unsignedTokenLine = `${envelopeTokenName}=$(for part in ${unsignedTokenParts.map((part) => `'${part}'`).join(' ')}; do printf %s "$part" | base64 | tr '+/' '-_' | tr -d '=\\n'; printf .; done | sed 's/\\.$//')`;

/** What a profile holds of these as texts, curl wants as files. */
function curlHome({ tls, proxy }: Profile): readonly (readonly [string, string])[] {
  if (tls === undefined && proxy === undefined) return [];
  return [
    [
      curlHomeName,
      '# a folder with a .curlrc whose lines cert, key, cacert and proxy say what tls and proxy of the profile do',
    ],
  ];
}

/** Where files can be put on the disk of the service, and where that is for whoever puts them there. */
function hostDirectory({ bulk }: Profile): readonly (readonly [string, string])[] {
  const { path, mountedAt } = bulk?.hostDirectory ?? {};
  if (path === undefined) return [];
  return [
    [hostDirectoryName, path],
    [mountedAtName, mountedAt ?? `${mountedAtName}=$${hostDirectoryName}`],
  ];
}

function bulkSignatures(profile: Profile, key: string | undefined): readonly (readonly [string, string])[] {
  return bulkLevels.flatMap((level) => {
    const path = bulkPaths(profile)[level];
    const name = bulkSignature(level);
    return key === undefined || path === undefined
      ? []
      : [[name, `${name}=$(${signatureCommand(path, key)})`] as const];
  });
}

/** Name of the variable that holds the access token of an identity. */
export function tokenVariable(name: IdentityName): string {
  return `${upper(name)}_TOKEN`;
}

function grantLine(
  { profile, registry }: { readonly profile: Profile; readonly registry: Secrets },
  name: IdentityName,
  variables: ReadonlyMap<string, string>,
): string {
  const { tokenUrl = '', clientId = '' } = profile.auth ?? {};
  const username = profile.identities[name]?.username ?? '';
  const user = quoted([{ text: `${clientId}:` }, { variable: variables.get('auth.clientSecret') ?? 'CLIENT_SECRET' }]);
  const password = quoted([
    { text: 'password=' },
    { variable: variables.get(`identities.${name}.password`) ?? `${upper(name)}_PASSWORD` },
  ]);
  const fields = [
    `--data grant_type=password --data scope=All`,
    `--data-urlencode ${quoted([{ text: `username=${username}` }])}`,
    `--data-urlencode ${password}`,
  ];
  const curl = `curl --silent --user ${user} ${fields.join(' ')} ${quoted(registry.parts(absoluteUrl(profile, tokenUrl)))}`;
  return `${tokenVariable(name)}=$(${curl} | tr -d '\\n' | sed -n 's/.*"access_token"[[:space:]]*:[[:space:]]*"\\([^"]*\\)".*/\\1/p')`;
}
