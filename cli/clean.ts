import { withDeclarations } from '../judge/profile/host-profile.ts';
import { loadProfile } from '../judge/profile/load.ts';
import { ProfileError } from '../judge/profile/document.ts';
import { type Booking, removableBy } from '../judge/case/bookings.ts';
import { probe } from '../judge/probe/try-out.ts';
import { decodeSegment, isOfService } from '../judge/service/requests.ts';
import { CleanUpTime, cleanUp } from '../judge/run/clean-up.ts';
import { toPlainText } from '../judge/describe.ts';
import type { Profile } from '../contract/profile.ts';
import { readReport, ReportError } from '../reports/report-file.ts';
import { counted } from '../reports/text.ts';
import { catalogue } from '../suites/catalogue.ts';
import { incompleteExitCode } from './exit-codes.ts';
import type { CleanOptions } from './options.ts';
import { gated, stdout } from './outlet.ts';
import { asUsage, throwAsUsage, UsageError } from './usage.ts';

/**
 * Deletes what the report of a run says is left, as the run would have done. Resolves with 0 where nothing of it stays, else, or where the run did
 * not come to tell, with 3.
 * @throws {UsageError} report or profile cannot be used, or something in the report is not of that deployment
 */
export async function cleanCommand(file: string, options: CleanOptions): Promise<number> {
  const { remains, durationMs } = reportIn(file);
  const isKilled = durationMs === undefined;
  const loaded = await withDeclarations(
    await loadProfile(options.profile, { rules: catalogue.all }).catch(throwAsUsage(ProfileError)),
  );
  const { profile } = loaded;
  const spaces = [profile.space, ...(profile.secondSpace === undefined ? [] : [profile.secondSpace.space])];
  const bookings = remains.map(({ uri }) => {
    if (!URL.canParse(uri) || !isOfService(uri, profile))
      throw new UsageError(
        `${file}: ${toPlainText(uri)} is not of the service at ${profile.baseUrl}; give the profile of the run`,
      );
    // as it is asked for, without dots that lead elsewhere
    const { href } = new URL(uri);
    const space = spaceOf(href) ?? profile.space;
    if (!spaces.includes(space))
      throw new UsageError(
        `${file}: ${toPlainText(uri)} is in a space of which the profile says nothing; give the profile of the run`,
      );
    return bookingOf(href, space, profile);
  });
  const { result: left } = await probe(loaded, async ({ service }) => {
    using time = new CleanUpTime();
    return cleanUp(service, bookings, time, profile);
  });
  const lines = [
    ...left.map(({ uri, reason }) => `Not deleted: ${toPlainText(gated(`${uri} (${reason})`))}`),
    isKilled
      ? 'The run of this report did not end, and the report does not tell what is left of it: what it made is still there, and whoever it registered may still be called.'
      : `${remains.length - left.length} of ${counted(remains.length, 'object')} gone.`,
  ];
  stdout.write(`${lines.join('\n')}\n`);
  return left.length === 0 && !isKilled ? 0 : incompleteExitCode;
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
function bookingOf(uri: string, spaceId: string, profile: Profile): Booking {
  const { pathname } = new URL(uri);
  const objectId = decodeSegment(pathname.split('/').at(-1) ?? '');
  const isFile = pathname.includes('/fs/file/');
  const as = pathname.includes('/api/collection/') && profile.identities.administrator ? 'administrator' : 'editor';
  return removableBy(profile, {
    uri,
    madeBy: 'clean',
    ...(isFile ? { remove: { method: 'DELETE', url: uri, as } } : { incomplete: { as, ids: { spaceId, objectId } } }),
  });
}
