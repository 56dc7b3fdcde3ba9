import { dirname } from 'node:path';
import { withDeclarations } from '../judge/profile/host-profile.ts';
import { loadProfile } from '../judge/profile/load.ts';
import { ProfileError } from '../judge/profile/document.ts';
import { type Booking, removableBy } from '../judge/case/bookings.ts';
import { probe } from '../judge/probe/try-out.ts';
import { decodeSegment, isOfService } from '../judge/service/requests.ts';
import { CleanUpTime, cleanUp } from '../judge/run/clean-up.ts';
import { toPlainText } from '../judge/describe.ts';
import type { IdentityName, Profile } from '../contract/profile.ts';
import { readReport, ReportError } from '../reports/report-file.ts';
import { counted } from '../reports/text.ts';
import { catalogue } from '../suites/catalogue.ts';
import { keepOnly, type Made, madeIn, writerIn } from './check/made-file.ts';
import { incompleteExitCode } from './exit-codes.ts';
import type { CleanOptions } from './options.ts';
import { gated, stdout } from './outlet.ts';
import { asUsage, throwAsUsage, UsageError } from './usage.ts';

/**
 * Deletes what the report of a run says is left, and what killed runs noted in made.ndjson beside it, as the run would have done. Resolves with 0
 * where nothing of it stays, else, or where the run came to tell neither, with 3.
 * @throws {UsageError} report or profile cannot be used, something in the report is not of that deployment, or the run goes on
 */
export async function cleanCommand(file: string, options: CleanOptions): Promise<number> {
  const { remains, durationMs } = reportIn(file);
  const folder = dirname(file);
  const writer = writerIn(folder);
  if (writer !== undefined)
    throw new UsageError(
      `${file}: its run goes on, in process ${writer}, and removes by itself what it made; give it its time, or end it first`,
    );
  const loaded = await withDeclarations(
    await loadProfile(options.profile, { rules: catalogue.all }).catch(throwAsUsage(ProfileError)),
  );
  const { profile } = loaded;
  const made = madeIn(folder);
  const [foreign] = remains.flatMap(({ uri }) => strangenessOf(uri, profile) ?? []);
  if (foreign !== undefined) throw new UsageError(`${file}: ${toPlainText(foreign)}; give the profile of the run`);
  // runs of several deployments may have noted there
  const others = made.flatMap((one) => {
    const reason = strangenessOf(one.uri, profile);
    return reason === undefined ? [] : [{ ...one, reason }];
  });
  const own = new Map(remains.map(({ uri }): [string, Made] => [uri, { uri }]));
  for (const one of made) if (!others.some(({ uri }) => uri === one.uri)) own.set(one.uri, one);
  const bookings = [...own.values()].map((one) => bookingOf(one, profile));
  const { result: left } = await probe(loaded, async ({ service }) => {
    using time = new CleanUpTime();
    return cleanUp(service, bookings, time, profile);
  });
  const stays = new Set([...left, ...others].map(({ uri }) => uri));
  keepOnly(
    folder,
    made.filter(({ uri }) => stays.has(uri) || stays.has(URL.parse(uri)?.href ?? '')),
  );
  const count = own.size + others.length;
  const isUntold = durationMs === undefined && made.length === 0;
  const lines = [
    ...left.map(({ uri, reason }) => `Not deleted: ${toPlainText(gated(`${uri} (${reason})`))}`),
    ...others.map(({ reason }) => `Not deleted: ${toPlainText(gated(reason))}`),
    isUntold
      ? 'The run of this report did not end, and nothing beside it (made.ndjson) tells what is left of it: what it made is still there, and whoever it registered may still be called.'
      : `${count - stays.size} of ${counted(count, 'object')} gone.`,
  ];
  stdout.write(`${lines.join('\n')}\n`);
  return stays.size === 0 && !isUntold ? 0 : incompleteExitCode;
}

/** Why nobody may delete it who has that profile, as the beginning of a sentence. */
function strangenessOf(uri: string, profile: Profile): string | undefined {
  if (!URL.canParse(uri) || !isOfService(uri, profile)) return `${uri} is not of the service at ${profile.baseUrl}`;
  const space = spaceOf(uri) ?? profile.space;
  if (space === profile.space || space === profile.secondSpace?.space) return undefined;
  return `${uri} is in a space of which the profile says nothing`;
}

/** The first that the path names; undefined where it names none. */
function spaceOf(uri: string): string | undefined {
  const [, segment] = /\/space\/([^/]+)/.exec(new URL(uri).pathname) ?? [];
  return segment === undefined ? undefined : decodeSegment(segment);
}

function reportIn(file: string): ReturnType<typeof readReport> {
  try {
    return readReport(file);
  } catch (error) {
    throw asUsage(error, ReportError);
  }
}

/** A report tells the address of what is left and not who made it: it is deleted by who may. */
function bookingOf({ uri, as: maker = '' }: Made, profile: Profile): Booking {
  // as it is asked for, without dots that lead elsewhere
  const { href, pathname } = new URL(uri);
  const objectId = decodeSegment(pathname.split('/').at(-1) ?? '');
  const isFile = pathname.includes('/fs/file/');
  const usual = pathname.includes('/api/collection/') && profile.identities.administrator ? 'administrator' : 'editor';
  const as = Object.hasOwn(profile.identities, maker) ? (maker as IdentityName) : usual;
  const ids = { spaceId: spaceOf(href) ?? profile.space, objectId };
  return removableBy(profile, {
    uri: href,
    madeBy: 'clean',
    ...(isFile ? { remove: { method: 'DELETE', url: href, as } } : { incomplete: { as, ids } }),
  });
}
