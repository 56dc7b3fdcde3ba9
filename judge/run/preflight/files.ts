import type { Need } from '../../../contract/needs.ts';
import type { CaseContext } from '../../case.ts';
import { isSuccess, type Reply } from '../../exchange.ts';
import type { FileArea } from '../../files/files.ts';
import { firstKept, type LeavesOut } from './left-out.ts';
import { sentenceFrom } from './sentences.ts';

type Ground = Pick<CaseContext, 'files' | 'bulk' | 'given' | 'profile'>;

const areaNeeds: readonly Need[] = [
  'file-area-any',
  'file-area-collection',
  'file-area-space',
  'file-area-user',
  'file-area-participant',
];

/**
 * Whether the file areas of the profile answer their identities; only what the needs of the run ask for. Undefined when all is well, wrong in
 * a way that rules are there to judge, or left out.
 */
export function filesUsable(
  ground: Ground,
  needs: ReadonlySet<Need>,
  leavesOut?: LeavesOut,
): Promise<string | undefined> {
  return sentenceFrom(ground, () => areas(ground, needs, leavesOut));
}

/** The same of bulk upload, its directory and its key. */
export function bulkUsable(ground: Ground, needs: ReadonlySet<Need>): Promise<string | undefined> {
  return sentenceFrom(ground, async () => (needs.has('host-directory') ? hostDirectory(ground, needs) : undefined));
}

async function areas(ground: Ground, needs: ReadonlySet<Need>, leavesOut?: LeavesOut): Promise<string | undefined> {
  const { identities } = ground.profile.all;
  const asked = ground.files.areas.filter(
    ({ name, as }) => (needs.has('file-area-any') || needs.has(`file-area-${name}`)) && identities[as] !== undefined,
  );
  if (!areaNeeds.some((need) => needs.has(need))) return undefined;
  const found = asked.map(async (area) => ({
    key: `files.areas.${area.name}` as const,
    sentence: await roundTrip(ground, area),
  }));
  return firstKept(await Promise.all(found), leavesOut);
}

async function roundTrip({ files, given }: Ground, area: FileArea): Promise<string | undefined> {
  const path = given.filePath();
  const uploaded = await files.upload(area, path, given.bytes(100));
  const read = isSuccess(uploaded.status) ? await files.download(area, path) : uploaded;
  if (isSuccess(uploaded.status)) await files.remove(area, path);
  return sentenceAboutArea(uploaded, area) ?? sentenceAboutArea(read, area);
}

/** The identity of the profile may not use the area. */
function sentenceAboutArea(reply: Reply, { name, as }: FileArea): string | undefined {
  if (!isShut(reply)) return undefined;
  return `${answerOf(reply)}: let the identity ${as} use the ${name} area, or name another one in files.areas.${name}.as`;
}

/** The suite has to write there; where a key is at hand, it has to open bulk upload. */
async function hostDirectory(
  { files, bulk, given, profile }: Ground,
  needs: ReadonlySet<Need>,
): Promise<string | undefined> {
  if (profile.all.bulk?.hostDirectory === undefined) return undefined;
  const name = `${given.unique('file')}.bin`;
  const targetDirectory = given.unique('dir');
  const source = await given.sourceDirectory({ [name]: given.bytes(100) });
  if (!needs.has('admin-api-key') || profile.all.bulk.adminApiKey === undefined) return undefined;
  const uploadTo = async (level: 'space' | 'collection'): Promise<Reply> => {
    const reply = await bulk.upload(level, { sourceDirectory: source.path, writeLog: false, targetDirectory });
    const area = files.areas.find((one) => one.name === level);
    if (area !== undefined && isSuccess(reply.status)) given.bookFile(area, `${targetDirectory}/${name}`);
    return reply;
  };
  const reply = await uploadTo('space');
  // where the key opens another level it is the right one, and what the service makes of this one is for the rules to tell
  return isShut(reply) && !isShut(await uploadTo('collection')) ? undefined : sentenceAboutBulk(reply);
}

/** The key of the profile opens nothing. */
function sentenceAboutBulk(reply: Reply): string | undefined {
  if (!isShut(reply)) return undefined;
  return `${answerOf(reply)}: correct bulk.adminApiKey, or bulk.routePrefix and bulk.signatureIncludesBasePath, by which the path is signed`;
}

function isShut({ status }: Reply): boolean {
  return status === 401 || status === 403;
}

function answerOf({ exchange, status }: Reply): string {
  return `${exchange.request.method} ${exchange.request.url} answered ${status}`;
}
