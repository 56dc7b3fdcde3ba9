import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { basePathOf } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Changes, Reply } from '../exchange.ts';
import type { BoundProfile } from '../profile.ts';
import { aside } from '../case/part.ts';
import { directoryAt, hostDirectory, makeDirectory, type SourceDirectory } from './source-directory.ts';
import { notedDirectory } from '../repeat/deeds.ts';
import type { CaseRecord } from '../case/record.ts';
import type { Secrets } from '../redact/redact.ts';
import { absoluteUrl, withChanges } from '../service/requests.ts';
import { signatureOver } from '../service/signature.ts';
import type { Target } from '../service/target.ts';
import { KeyMissing } from '../violation.ts';

/** Where a bulk upload goes. Source: extensions, File routes, rows 5 to 7 */
export type BulkLevel = 'collection' | 'space' | 'participant';

/** Source: extensions, Bulk upload request body */
export interface BulkBody {
  readonly sourceDirectory?: unknown;
  readonly writeLog?: unknown;
  readonly targetDirectory?: unknown;
  readonly replaceFiles?: unknown;
  readonly deleteFilesAfterUpload?: unknown;
}

export interface BulkChanges extends Changes {
  /** Base64 of the key that signs; that of the profile unless given. */
  readonly key?: string;
  /** Text that is signed; the path of the route unless given. */
  readonly signed?: string;
  /** Bearer value as it is sent; null for none. */
  readonly signature?: string | null;
  /** Where it goes; to the space and the participant of the profile unless given. */
  readonly to?: BulkTarget;
}

/** Another space or participant than that of the profile. */
export type BulkTarget = Partial<Readonly<Pick<Profile, 'space' | 'participant'>>>;

/** The bulk upload routes. Need `admin-api-key` or a key in the changes. */
export interface Bulk {
  /** Path of the route with the ids of the profile, as it is signed. */
  path(level: BulkLevel): string;
  upload(level: BulkLevel, body: BulkBody, changes?: BulkChanges): Promise<Reply>;
  /** Bearer value over a path, as the judge computes it. Source: extensions, Authentication 2 */
  signatureOf(key: string, path: string): string;
}

export interface MakesSources {
  /** A fresh directory with these files, by relative name with slashes; gone after the case. */
  sourceDirectory(files: Readonly<Record<string, Uint8Array>>): Promise<SourceDirectory>;
}

interface BulkParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly secrets: Secrets;
}

/** The bulk upload routes. Source: extensions, File routes, rows 5 to 7; ledger bulk-route-prefix */
export function openBulk({ service, profile, secrets }: BulkParts): Bulk {
  const bulk: Bulk = {
    path: (level) => bulkPath(profile.all, level),
    upload: (level, body, { key, signed, signature, to, ...changes } = {}) => {
      const named = { ...profile.all, ...to };
      const path = bulkPath(named, level);
      const url = absoluteUrl(profile.all, routeOf(named, level));
      const bearer = signature === undefined ? bulk.signatureOf(key ?? keyOf(profile.all), signed ?? path) : signature;
      const request = {
        method: 'POST',
        url,
        as: null,
        body,
        headers: typeof bearer === 'string' ? { Authorization: `Bearer ${bearer}` } : {},
        unbooked: true as const,
      };
      return service.send(withChanges(request, changes));
    },
    signatureOf: (key, path) => {
      const signature = signatureOver(key, path);
      // whoever has it can use the route as the key could
      secrets.add(signatureVariable(profile.all, key, path), signature);
      return signature;
    },
  };
  return bulk;
}

/** From the base URL on. */
function routeOf(profile: Profile, level: BulkLevel): string {
  return bulkPath(profile, level).slice(signedBefore(profile).length);
}

function bulkPath(profile: Profile, level: BulkLevel): string {
  const path = bulkPaths(profile)[level];
  if (path === undefined) throw new KeyMissing('participant', 'file-area-participant');
  return path;
}

/** Name of what a case signs with another key, or over another path. */
export const otherSignature = 'OTHER_SIGNATURE';

/** Another path is signed by a case that means to be refused, and so is any with another key. */
function signatureVariable(profile: Profile, key: string, path: string): string {
  const isOwn = key === profile.bulk?.adminApiKey;
  const level = bulkLevels.find((name) => isOwn && bulkPaths(profile)[name] === path);
  return level === undefined ? otherSignature : bulkSignature(level);
}

function keyOf({ bulk }: Profile): string {
  if (bulk?.adminApiKey === undefined) throw new KeyMissing('bulk.adminApiKey', 'admin-api-key');
  return bulk.adminApiKey;
}

export const bulkLevels: readonly BulkLevel[] = ['collection', 'space', 'participant'];

/** Paths of the bulk upload routes, as they are signed; that of the participant where the profile has one. Source: extensions, File routes, rows 5 to 7 */
export function bulkPaths(profile: Profile): Readonly<Record<BulkLevel, string | undefined>> {
  const { bulk, space, participant } = profile;
  const root = `${signedBefore(profile)}${bulk?.routePrefix ?? ''}/admin/fileupload`;
  const inSpace = `${root}/${encodeURIComponent(space)}`;
  return {
    collection: root,
    space: inSpace,
    participant: participant === undefined ? undefined : `${inSpace}/${encodeURIComponent(participant)}`,
  };
}

/** What is signed before the path of the route: the path of the base URL, where the profile says so. */
function signedBefore({ baseUrl, bulk }: Profile): string {
  return bulk?.signatureIncludesBasePath === true ? basePathOf(baseUrl) : '';
}

/** Name of the variable that stands for the signature over one of them. */
export function bulkSignature(level: BulkLevel): string {
  return `BULK_SIGNATURE_${level.toUpperCase()}`;
}

interface SourceParts {
  readonly profile: BoundProfile;
  readonly record: CaseRecord;
  readonly unique: (prefix?: string) => string;
}

/** How long the removal of a directory may take, in ms. */
const removalMs = 5000;

/** What means something else in a URL, or in a pattern of names, than in the name of a directory: every second one has it. */
const signs = ' %41+b[ab]{1,2}';

/** Words that make directories on the disk of the service's host. */
export function openSources(parts: SourceParts): MakesSources {
  let made = 0;
  return {
    sourceDirectory: async (files) => {
      const { path, mountedAt = path } = hostDirectory(parts.profile);
      made += 1;
      const name = parts.unique('source') + (made % 2 === 0 ? signs : '');
      const place = await aside('directory', () => makeDirectory(mountedAt, name));
      parts.record.atEnd(() => aside('removal', () => rm(place, { recursive: true, force: true })), removalMs);
      const directory = notedDirectory(
        directoryAt(place, `${path.replace(/[/\\]+$/, '')}/${basename(place)}`),
        (deed) => parts.record.noteDeed(deed),
      );
      for (const [name, bytes] of Object.entries(files)) await directory.write(name, bytes);
      return directory;
    },
  };
}
