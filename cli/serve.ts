import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from '../reference-server/server.ts';
import { openSqliteStore } from '../reference-server/store/sqlite.ts';
import type { Store } from '../reference-server/store/store.ts';
import { onInterrupt } from './check/interrupt.ts';
import type { ServeOptions, StoreChoice } from './options.ts';
import { UsageError } from './usage.ts';

/** The line that `serve` prints; further members may come. */
export interface Announcement {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  /** File or address of a profile of this server, as `check --profile` takes it. A file is there as long as the server runs. */
  readonly profile: string;
  readonly docs: string;
  /** Opens the control routes; only with `--control`. */
  readonly controlToken?: string;
}

const bundledProfile = new URL('../fixtures/profile.yaml', import.meta.url);

/** Serves until SIGTERM or SIGINT, then finishes what is being answered. @throws {UsageError} a store, fault or address that cannot be used */
export async function serveCommand(options: ServeOptions): Promise<number> {
  using interrupt = onInterrupt();
  const store = storeOf(options.store);
  const server = serverOf(options, store);
  const url = await listening(server, options);
  await using profile = options.control ? readableAt(`${url}/_control/profile.yaml`) : await writtenProfile(url);
  announce({
    url,
    profile: profile.place,
    docs: `${url}/docs`,
    ...(options.control && { controlToken: server.controlToken }),
  });
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  await server.close();
  await store.close();
  return 0;
}

function storeOf(choice: StoreChoice): Store {
  if (choice.kind === 'memory') return openSqliteStore();
  try {
    return openSqliteStore(choice.file);
  } catch (error) {
    throw new UsageError(
      `Cannot open the store ${choice.file} (${messageOf(error)}); name a file that can be written.`,
    );
  }
}

function serverOf({ fault = [], dialect, control, log }: ServeOptions, store: Store): Server {
  const destination = { write: (line: string) => void process.stderr.write(line) };
  try {
    return createServer({
      store,
      faults: fault,
      control: control === true,
      log: { level: log, destination },
      ...(dialect && { dialect }),
    });
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

async function listening(server: Server, { port, host }: ServeOptions): Promise<string> {
  try {
    return await server.listen({ port, host });
  } catch (error) {
    throw new UsageError(
      `Cannot listen on ${host}, port ${port} (${messageOf(error)}); choose another --port or --host.`,
    );
  }
}

interface ProfilePlace extends AsyncDisposable {
  readonly place: string;
}

function readableAt(address: string): ProfilePlace {
  return { place: address, [Symbol.asyncDispose]: async () => undefined };
}

/** Without control routes the server does not show its profile, so it is written to a file of its own. */
async function writtenProfile(url: string): Promise<ProfilePlace> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
  const place = join(folder, 'profile.yaml');
  const text = await readFile(bundledProfile, 'utf8');
  await writeFile(place, text.replaceAll('${BASE_URL}', url));
  return { place, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

function announce(announcement: Announcement): void {
  process.stdout.write(`${JSON.stringify(announcement)}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
