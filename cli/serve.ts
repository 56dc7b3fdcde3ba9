import { Clean, stderr, stdout } from './outlet.ts';
import { catalogue } from '../suites/catalogue.ts';
import { once } from 'node:events';
import { access, constants, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '../reference-server/load-configuration.ts';
import { withKeyFromEnvironment } from '../reference-server/control.ts';
import { type FaultId, hasFault } from '../variants/faults.ts';
import { subtleFaults } from '../variants/faults/subtle/subtle.ts';
import type { Server } from '../reference-server/server.ts';
import type { Store } from '../reference-server/ports/store.ts';
import { createVariant } from '../variants/create-variant.ts';
import { openStore, StoreError } from '../api/open-store.ts';
import { onInterrupt } from './check/interrupt.ts';
import { makeFolder } from './make-folder.ts';
import type { ServeOptions } from './options.ts';
import { cannotListen, throwAsUsage, usable, UsageError } from './usage.ts';
import { unknownName } from '../contract/spelling.ts';
import { messageOf } from '../contract/thrown.ts';

/** The line that `serve` prints; further members may come. */
export interface Announcement {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  /** File or address of a profile of this server, as `check --profile` takes it. A file is there as long as the server runs. */
  readonly profile: string;
  readonly docs: string;
  /** Opens the control routes; only with `--control`, and only where it was made up. */
  readonly controlToken?: string;
}

const bundledProfile = new URL('../fixtures/profile.yaml', import.meta.url);

/** Serves until SIGTERM or SIGINT, or until a process that started it over a channel is gone, then finishes what is being answered. @throws {UsageError} a store, fault or address that cannot be used */
export async function serveCommand(options: ServeOptions): Promise<number> {
  using interrupt = onInterrupt();
  const faults = (options.fault ?? []).map(faultId);
  if (options.files !== undefined) await makeWritable(options.files);
  for (const folder of options.bulkSource ?? []) await requireFolder(folder);
  const store = await openStore(options.store).catch(throwAsUsage(StoreError));
  // its key is public: it opens nothing that is not named, but a folder that is made for it
  await using bulk = await bulkFolder(options);
  const server = serverOf({ ...options, bulkSource: bulk.sources }, faults, store);
  const url = await server.listen({ port: options.port, host: options.host }).catch((error: unknown) => {
    throw cannotListen(options, messageOf(error));
  });
  await using profile = options.control
    ? { place: `${url}/_control/profile.yaml`, [Symbol.asyncDispose]: async () => undefined }
    : await writtenProfile(url, { ...options, bulkSource: bulk.sources });
  announce({
    url,
    profile: profile.place,
    docs: `${url}/docs`,
    ...(options.control && options.controlToken === undefined && { controlToken: server.controlToken }),
  });
  await once(process, 'disconnect', { signal: interrupt.signal }).catch(() => undefined);
  await server.close();
  await store.close();
  return 0;
}

interface BulkFolder extends AsyncDisposable {
  readonly sources: readonly string[];
}

/** The folders that bulk uploads may take files from: those that are named, else an empty one of the server's own. */
async function bulkFolder({ bulkSource }: ServeOptions): Promise<BulkFolder> {
  if (bulkSource !== undefined) return { sources: bulkSource, [Symbol.asyncDispose]: async () => undefined };
  const own = await mkdtemp(join(tmpdir(), 'svc-conformance-bulk-'));
  return {
    sources: [own],
    [Symbol.asyncDispose]: () => rm(own, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Early, so that it is refused here and not at the first upload. */
async function makeWritable(folder: string): Promise<void> {
  try {
    makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`Cannot keep files in ${folder} (${messageOf(error)}); name a folder that can be written.`);
  }
}

/** A name that leads nowhere would keep every bulk upload out. */
async function requireFolder(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return;
  throw new UsageError(`Cannot take bulk uploads from ${folder}: it is no directory; name one that is there.`);
}

/** @throws {UsageError} neither a rule nor a subtle fault has that id, or the rule cannot fail */
function faultId(id: string): FaultId {
  const known: readonly string[] = [...catalogue.ids, ...Object.keys(subtleFaults)];
  const found = known.find((candidate) => candidate === id);
  if (found === undefined)
    throw new UsageError(`${unknownName('fault', id, known)} \`svc-conformance faults --list\` names them.`);
  if (hasFault(found)) return found;
  throw new UsageError(
    `There is no fault ${id}: the rule records only; \`svc-conformance faults --list\` names those that there are.`,
  );
}

function serverOf(
  { dialect, control, controlToken, log, baseAddress, files, ...options }: ServeOptions,
  faults: readonly FaultId[],
  store: Store,
): Server {
  const { administrationKey, allowCallee, allowOrigin, bulkSource, maxStreamBytes } = options;
  const destination = { write: (line: string) => stderr.write(line) };
  const create = (): Server =>
    createVariant({
      store,
      faults,
      ...(control && { control }),
      ...(controlToken !== undefined && { controlToken }),
      log: { level: log, destination },
      ...(dialect && { dialect }),
      ...(files !== undefined && { files }),
      ...(maxStreamBytes !== undefined && { maxStreamBytes }),
      ...(administrationKey !== undefined && { administrationKey }),
      ...(bulkSource !== undefined && { bulkSources: bulkSource }),
      ...(allowCallee !== undefined && { allowCallees: allowCallee }),
      ...(allowOrigin !== undefined && { allowOrigins: allowOrigin }),
      ...(baseAddress !== undefined && { configuration: { ...loadConfiguration(), baseAddress } }),
    });
  return usable(create, RangeError);
}

interface ProfilePlace extends AsyncDisposable {
  readonly place: string;
}

/** Without control routes the server does not show its profile, so it is written to a file of its own. */
async function writtenProfile(url: string, options: ServeOptions): Promise<ProfilePlace> {
  const { baseAddress = url, administrationKey, bulkSource } = options;
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
  const place = join(folder, 'profile.yaml');
  const hostDirectory = await mkdtemp(join(bulkSource?.[0] ?? folder, 'svc-conformance-host-'));
  const text = withKeyFromEnvironment(await readFile(bundledProfile, 'utf8'), administrationKey);
  await writeFile(
    place,
    text
      .replace('baseAddress: ${BASE_URL}', () => `baseAddress: ${baseAddress}`)
      .replaceAll('${BASE_URL}', url)
      .replaceAll('${HOST_DIRECTORY}', () => JSON.stringify(hostDirectory)),
  );
  const removed = async (): Promise<void> => {
    for (const each of [hostDirectory, folder]) await rm(each, { recursive: true, force: true, maxRetries: 10 });
  };
  return { place, [Symbol.asyncDispose]: removed };
}

function announce(announcement: Announcement): void {
  stdout.write(Clean.own(`${JSON.stringify(announcement)}\n`));
}
