// oxlint-disable-next-line no-restricted-imports -- the input of the target
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { basePathOf } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import { messageOf } from '../../contract/thrown.ts';
import { signatureOf } from '../extension/signature.ts';
import { contentOf } from './content.ts';
import type { Ground } from './ground.ts';
import type { GeneratedBody } from './step.ts';

/** Names below the directory, and lengths in bytes. */
const files: readonly (readonly [name: string, length: number])[] = [
  ['same.bin', 700],
  ['one/same.bin', 1],
  ['one/two/three/same.bin', 70_000],
];
const usualWaitSeconds = 10;
/** The service may run as another user. */
const [openDirectory, openFile] = [0o777, 0o666];

/** A directory on the disk of the service's host, for bulk uploads; gone when it is disposed of. */
export interface BulkSource extends AsyncDisposable {
  readonly ground: Pick<Ground, 'bulk'>;
  /** Why there is none, where the profile allows one. */
  readonly problem?: string;
}

/** @param seed of what the files hold, and a part of their names, which so nobody else has */
export async function openBulkSource(
  { bulk, space, baseUrl, files: { areas } = { areas: {} }, identities }: Profile,
  seed: number,
): Promise<BulkSource> {
  const { adminApiKey, hostDirectory, routePrefix = '', signatureIncludesBasePath, completionSeconds } = bulk ?? {};
  const nothing = { ground: {}, [Symbol.asyncDispose]: async () => undefined };
  const isReadable = areas.space !== undefined && identities[areas.space.as] !== undefined;
  if (adminApiKey === undefined || hostDirectory === undefined || !isReadable) return nothing;
  const { path: named, mountedAt = named } = hostDirectory;
  const contents = files.map(([name, length], index) => ({
    name: name.replace('same', `same-${seed.toString(36)}`),
    content: { kind: 'generated', seed: seed + index, length } satisfies GeneratedBody,
  }));
  let place: string;
  try {
    place = await mkdtemp(join(mountedAt, 'traffic-'));
    await chmod(place, openDirectory);
    for (const { name, content } of contents) await writeBelow(place, name, contentOf(content));
  } catch (error) {
    const reason = messageOf(error);
    return { ...nothing, problem: `no directory could be made in bulk.hostDirectory (${reason})` };
  }
  const collection = `${routePrefix}/admin/fileupload`;
  const path = `${collection}/${encodeURIComponent(space)}`;
  const before = signatureIncludesBasePath === true ? basePathOf(baseUrl) : '';
  return {
    ground: {
      bulk: {
        path,
        signature: signatureOf(adminApiKey, before + path),
        otherSignature: signatureOf(adminApiKey, before + collection),
        sourceDirectory: `${named.replace(/[/\\]+$/, '')}/${basename(place)}`,
        files: contents,
        waitMs: (completionSeconds ?? usualWaitSeconds) * 1000,
      },
    },
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true }),
  };
}

async function writeBelow(place: string, name: string, bytes: Uint8Array): Promise<void> {
  const file = join(place, name);
  await mkdir(dirname(file), { recursive: true });
  for (let directory = dirname(file); directory !== place; directory = dirname(directory))
    await chmod(directory, openDirectory);
  await writeFile(file, bytes);
  await chmod(file, openFile);
}
