import type { Profile } from '../../contract/profile.ts';
import type { BoundProfile } from '../profile.ts';
import type { Secrets } from '../redact.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { changed } from '../requests/prepare.ts';
import type { Target } from '../target.ts';
import { Inconclusive } from '../violation.ts';
import type { Bulk, BulkChanges, BulkLevel } from './bulk.ts';
import { bulkLevels, bulkPaths, bulkSignature } from './paths.ts';
import { signatureOver } from '../host/signature.ts';

export interface BulkParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly secrets: Secrets;
}

/** The bulk upload routes. Source: extensions, File routes, rows 5 to 7; ledger bulk-route-prefix */
export function openBulk({ service, profile, secrets }: BulkParts): Bulk {
  const bulk: Bulk = {
    path: (level) => bulkPath(profile.all, level),
    upload: (level, body, { key, signed, signature, ...changes } = {}) => {
      const path = bulk.path(level);
      const bearer = signature === undefined ? bulk.signatureOf(key ?? keyOf(profile.all), signed ?? path) : signature;
      const request = {
        method: 'POST',
        url: absoluteUrl(profile.all, path),
        as: null,
        body,
        headers: authorization(bearer),
        unbooked: true as const,
      };
      return service.send(changed(request, changes));
    },
    signatureOf: (key, path) => {
      const signature = signatureOver(key, path);
      // whoever has it can use the route as the key could
      secrets.add(signatureVariable(profile.all, path), signature);
      return signature;
    },
  };
  return bulk;
}

function authorization(bearer: BulkChanges['signature']): Readonly<Record<string, string>> {
  return typeof bearer === 'string' ? { Authorization: `Bearer ${bearer}` } : {};
}

function bulkPath(profile: Profile, level: BulkLevel): string {
  const path = bulkPaths(profile)[level];
  if (path === undefined) throw new Inconclusive('The case uses participant, which the profile does not have: add it.');
  return path;
}

/** Another path is signed by a case that means to be refused. */
function signatureVariable(profile: Profile, path: string): string {
  const level = bulkLevels.find((name) => bulkPaths(profile)[name] === path);
  return level === undefined ? 'OTHER_SIGNATURE' : bulkSignature(level);
}

function keyOf({ bulk }: Profile): string {
  if (bulk?.adminApiKey === undefined)
    throw new Inconclusive('The case uses bulk.adminApiKey, which the profile does not have: add it.');
  return bulk.adminApiKey;
}
