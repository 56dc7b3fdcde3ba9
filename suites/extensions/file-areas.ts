import { secondSpaceOfEditor } from '../../judge/service/soft-types.ts';
import { type CaseContext, scenario, type ServiceCase } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { expectNothingAt, expectStored, holdsBytes } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import {
  areaAs,
  expectParticipantAtHome,
  userAreaBeside,
  areaByArea,
  expectReadsBack,
  expectRoundTrip,
  expectStoredAndReadBack,
  whereServed,
} from './checks/every-area.ts';
import { expectOwnByEachCredential } from './checks/file-credentials.ts';
import { fileInChunks } from './checks/upload-in-chunks.ts';
import { fileHistories } from './histories/files.ts';

/** What fails is left to the rules of one area. */
const mixedHistories = fileHistories({
  groups: (declared) => [declared],
  refusals: false,
  steps: 40,
  share: 0.2,
});

export const fileAreaRules = rules('files', {
  'files.collection-area.base-path': {
    source: 'extensions: File areas, row Collection; File routes, rows 1, 3 and 4',
    statement:
      'The collection area lives under `/api/collection/fs/file`: stream POST, GET and DELETE of one file at that base path all succeed for a Collection Administrator.',
    fault: 'Collection area is not served at its base path.',
    needs: ['file-area-collection', 'collection-admin'],
    after: ['files.download.bearer'],
    test: scenario((context) => expectServes(context, context.files.area('collection'))),
  },
  'files.space-area.base-path': {
    source: 'extensions: File areas, row Space; File routes, rows 1, 3 and 4',
    statement:
      'The space area lives under `/api/space/{spaceId}/fs/file` with the same three operations for a user who holds a role in the space.',
    fault: 'Space area routes only accept Collection Administrators.',
    needs: ['file-area-space', 'editor-identity'],
    after: ['files.download.bearer'],
    test: scenario((context) => expectServes(context, areaAs(context.files.area('space'), 'editor'))),
  },
  'files.user-area.base-path': {
    source: 'extensions: File areas, row User; File routes, rows 1, 3 and 4',
    statement:
      'The user area lives under `/api/space/{spaceId}/user/fs/file` with the same three operations; no user id is part of the path.',
    fault: 'User area route is missing (404 on every method).',
    needs: ['file-area-user', 'editor-identity'],
    after: ['files.download.bearer'],
    test: scenario((context) => expectServes(context, areaAs(context.files.area('user'), 'editor'))),
  },
  'files.participant-area.base-path': {
    source: 'extensions: File areas, row Participant; File routes, rows 1, 3 and 4',
    statement:
      'The participant area lives under `/api/space/{spaceId}/participant/{participantId}/fs/file` with the same three operations.',
    fault: 'Participant segment is expected in the plural form.',
    needs: ['file-area-participant', 'editor-identity'],
    after: ['files.download.bearer'],
    test: scenario((context) => expectServes(context, areaAs(context.files.area('participant'), 'editor'))),
  },
  'files.isolation.between-areas': {
    source: 'extensions: File areas, table',
    statement:
      'The four areas are separate stores: the same relative path holds four independent files, whichever of them is deleted, and no directory of one leads into another, whatever it is called.',
    fault: 'Collection area is stored in the space area.',
    needs: [
      'file-area-collection',
      'file-area-space',
      'file-area-user',
      'file-area-participant',
      'collection-admin',
      'editor-identity',
    ],
    test: withHistories((context) =>
      whereServed(context, context.files.areas, async () => {
        await expectOwnFiles(context, context.files.areas);
        await expectNoWayInto(context);
      }),
    ),
  },
  'files.isolation.between-users': {
    source: 'extensions: File areas, row User',
    statement:
      'A file in the user area of one user is neither readable, nor deletable, nor in the way for another user of the same space, by whatever credentials each of them comes.',
    fault: 'User area is keyed by space only.',
    needs: ['file-area-user', 'editor-identity', 'second-editor'],
    after: ['files.user-area.base-path', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { given, files, expect } = context;
      const first = files.userArea('editor');
      const second = files.userArea('secondEditor');
      const { path, bytes } = await given.file({ area: first });
      await expectNothingAt(context, second, path);
      expect(await files.remove(second, path)).notToSucceed();
      const ofSecond = { area: second, path, bytes: given.bytes(90) };
      await expectStoredAndReadBack(context, ofSecond);
      await expectReadsBack(context, first, path, bytes);
      await expectOwnByEachCredential(context, [{ area: first, path, bytes }, ofSecond]);
    }),
  },
  'files.isolation.between-participants': {
    source: 'extensions: File areas, row Participant',
    statement: 'Two participants of a space have separate areas.',
    fault: 'Participant id in the path is ignored.',
    needs: ['file-area-participant', 'second-participant', 'editor-identity', 'second-editor'],
    after: ['files.participant-area.base-path', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { files } = context;
      const [first, second] = [areaAs(files.area('participant'), 'editor'), files.secondParticipant];
      await expectOwnFiles(context, [first, second]);
      const both = [areaAs(first, second.as), second] as const;
      if (await mayUse(context, both[0])) await expectOwnFiles(context, both);
    }),
  },
  'files.isolation.between-spaces': {
    source: 'extensions: File areas, rows Space, User and Participant',
    statement:
      "Areas of different spaces are separate, for the space area and for the same user's user area; that of a participant is in its own space alone.",
    fault: 'Space id in the path is ignored for the storage of space areas.',
    needs: ['file-area-space', 'second-space'],
    after: ['files.space-area.base-path', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { files, profile } = context;
      const spaces = [areaAs(files.area('space'), 'editor'), files.secondSpace] as const;
      await expectOwnFiles(context, spaces);
      const userArea = files.areas.find(({ name }) => name === 'user');
      if (userArea !== undefined && secondSpaceOfEditor(profile.all) !== undefined)
        await whereServed(context, [userArea], () => expectOwnFiles(context, spaces.map(userAreaBeside)));
      await expectParticipantAtHome(context);
    }),
  },
  'files.area.model-sequence': {
    source: 'extensions: File routes, rows 1, 3 and 4',
    statement:
      'Any sequence of uploads, downloads and deletions on a few places, in the root and in folders, behaves like a map from path to bytes, with a stream upload failing on a present key, whatever else is wrong with it, and read and delete failing on an absent one; in the end every place holds what the map holds.',
    fault: 'Every second deletion in a directory that holds more is not carried out.',
    needs: ['file-area-any'],
    after: [
      'files.stream.checksum-correct-accepted',
      'files.stream.existing-file-refused',
      'files.download.missing-file-fails',
      'files.delete.removes-file',
      'files.delete.missing-file-fails',
    ],
    test: fileHistories({
      groups: (declared) => declared.map((area) => [area]),
      refusals: true,
      steps: 24,
      share: 1.4,
    }),
  },
  'files.directories.edge-behaviour': {
    level: 'observe',
    source: 'extensions: File routes (silent on directories)',
    statement:
      'Uploading below a file or onto a directory, GET and DELETE on a directory, and the life of an emptied directory have no documented result.',
    fault: 'Not applicable as a failure; recorded variant: recursive delete.',
    needs: ['file-area-any'],
    test: scenario(async ({ given, files, notes }) => {
      const area = files.any;
      const root = given.unique('directories');
      const first = await given.file({ area, path: `${root}/x` });
      const inside = await given.file({ area, path: `${root}/d/f` });
      const replies: Record<string, Reply> = {
        'upload below a file': await files.upload(area, `${root}/x/y`, given.bytes(20)),
        'upload onto a directory': await files.upload(area, `${root}/d`, given.bytes(20)),
        'GET of a directory': await files.download(area, `${root}/d`),
        'GET of a directory with a slash': await files.download(area, `${root}/d/`, { raw: true }),
        'DELETE of a directory that holds a file': await files.remove(area, `${root}/d`),
      };
      for (const { path, bytes } of [first, inside]) {
        const reply = await files.download(area, path);
        replies[`GET of ${path.slice(root.length + 1)} after that`] = reply;
        notes.observe(`${path.slice(root.length + 1)} is as it was`, holdsBytes(reply, bytes), reply);
      }
      replies['DELETE of the last file of a directory'] = await files.remove(area, inside.path);
      replies['listing of the emptied directory'] = await files.directory(area, `${root}/d`);
      noteStatuses(notes, replies);
    }),
  },
  'files.dir.route-exists': {
    level: 'observe',
    source: 'extensions: File areas, sentence on `fs/dir`',
    statement:
      'A listing route under `fs/dir` is said to exist; its method, sub-path form and fields are not shown, so its answer is recorded.',
    fault: 'Not applicable as a failure; recorded variant: 404.',
    needs: ['file-area-any'],
    test: areaByArea(async ({ given, files, notes }, area) => {
      const { path } = await given.file({ area });
      const [directory = '', name = ''] = path.split('/');
      const listings = {
        'the root': await files.directory(area),
        'a directory': await files.directory(area, directory),
      };
      for (const [what, reply] of Object.entries(listings)) {
        notes.observe(`${area.name}: listing of ${what}`, `${reply.status} ${shapeOf(reply)}`, reply);
        notes.remarkServerError(reply);
      }
      notes.observe(`${area.name}: an uploaded name is listed`, listings['a directory'].text.includes(name));
      notes.observe(
        `${area.name}: listing without a credential`,
        (await files.directory(area, directory, { as: null })).status,
      );
    }),
  },
  'files.statuses.recorded': {
    level: 'observe',
    source: 'extensions: File routes, sentence on success status codes; Errors, rule 6',
    statement:
      'Success codes, failure codes and error bodies of the file routes are not documented; other rules use the class 2xx or not 2xx only, and the exact values are recorded.',
    fault: 'Not applicable as a failure; recorded variant: 500 for a missing file.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      const { notes, files } = context;
      const seen = await Promise.all(
        files.areas.map(async (area) => ({
          area,
          replies: { ...(await successes(context, area)), ...(await failures(context, area)) },
        })),
      );
      for (const { area, replies } of seen) {
        for (const [what, reply] of Object.entries(replies)) {
          notes.observe(`${area.name}: ${what}`, `${reply.status} ${shapeOf(reply)}`, reply);
          notes.remarkServerError(reply);
        }
      }
    }),
  },
});

function expectServes(context: CaseContext, area: FileArea): Promise<void> {
  return expectRoundTrip(context, area, context.given.filePath(), context.given.bytes(300));
}

/** The steps, then random histories of every area. */
function withHistories(run: (context: CaseContext) => Promise<void>): ServiceCase {
  return {
    kind: 'model',
    run: async (context, generation) => {
      await run(context);
      await mixedHistories.run(context, generation);
    },
  };
}

/** Directories that are called as another area is in its path, or on a disk: what is in them is in no other area. A service may refuse such a name. */
async function expectNoWayInto(context: CaseContext): Promise<void> {
  const { given, files, notes, profile } = context;
  const { participant = '', space, identities } = profile.all;
  const user = identities.editor.username ?? 'user';
  const names = [participant, `participant/${participant}`, user, `user/${user}`, 'user', space];
  for (const area of [files.area('space'), files.area('collection')])
    for (const directory of names) {
      const name = given.unique('leaked');
      const path = `${directory}/${name}`;
      const bytes = given.bytes(90);
      const stored = await files.upload(area, path, bytes);
      notes.observe(`a directory that is called like an area, in the ${area.name} area`, stored.status, stored);
      if (!isSuccess(stored.status)) continue;
      for (const other of files.areas.filter((each) => each.path !== area.path))
        await expectNothingAt(context, other, name);
      await expectStored(context, { area, path, bytes });
    }
}

/** Under one path each area keeps bytes of its own, and loses them only by its own deletion; without them it has nothing there, whatever another has. */
async function expectOwnFiles(context: CaseContext, areas: readonly FileArea[]): Promise<void> {
  const { given, files, expect } = context;
  const path = given.filePath();
  const held = areas.map((area, index) => ({ area, bytes: given.bytes(100 + index) }));
  for (const [index, { area, bytes }] of held.entries()) {
    if (index > 0) await expectNothingOfOthers(context, area, path);
    await expectStoredAndReadBack(context, { area, path, bytes });
  }
  for (const { area, bytes } of held) await expectReadsBack(context, area, path, bytes);
  for (const { area, bytes } of held) {
    const removed = await files.remove(area, path);
    // a role without DELETE leaves what was read
    if (removed.missingMethod !== undefined) continue;
    expect(removed).toSucceed();
    await expectNothingOfOthers(context, area, path);
    for (const other of held) if (other.area !== area) await expectReadsBack(context, other.area, path, other.bytes);
    await expectStoredAndReadBack(context, { area, path, bytes });
  }
}

/** What is read and deleted there is not what another area has under the path. */
async function expectNothingOfOthers(context: CaseContext, area: FileArea, path: string): Promise<void> {
  await expectNothingAt(context, area, path);
  context.expect(await context.files.remove(area, path)).notToSucceed();
}

/** Whether that identity may use the area at all, which nothing says. */
async function mayUse({ given, files }: CaseContext, area: FileArea): Promise<boolean> {
  const { status } = await files.upload(area, given.filePath(), given.bytes(20));
  return isSuccess(status);
}

function noteStatuses(notes: CaseContext['notes'], replies: Readonly<Record<string, Reply>>): void {
  for (const [what, reply] of Object.entries(replies)) {
    notes.observe(what, reply.status, reply);
    notes.remarkServerError(reply);
  }
}

/** Media type and member names, so that a fingerprint does not depend on what the file is called. */
function shapeOf({ json, headers }: Reply): string {
  const type = headers['content-type']?.split(';')[0] ?? 'no media type';
  const sample: unknown = Array.isArray(json) ? json[0] : json;
  const members = typeof sample === 'object' && sample !== null ? Object.keys(sample).sort().join(', ') : '';
  return members === '' ? type : `${type} {${members}}`;
}

async function successes(context: CaseContext, area: FileArea): Promise<Record<string, Reply>> {
  const { given, files } = context;
  const { path: chunked, bytes: file, chunkSize } = fileInChunks(context, 3);
  const path = given.filePath();
  const [first, middle, last] = await files.chunks(area, { path: chunked, file, chunkSize });
  return {
    upload: await files.upload(area, path, given.bytes(100)),
    download: await files.download(area, path),
    deletion: await files.remove(area, path),
    ...(first && { 'first chunk': first }),
    ...(middle && { 'middle chunk': middle }),
    ...(last && { 'last chunk': last }),
  };
}

async function failures({ given, files }: CaseContext, area: FileArea): Promise<Record<string, Reply>> {
  const { path, bytes } = await given.file({ area });
  const fresh = given.filePath();
  return {
    'download of a missing file': await files.download(area, fresh),
    'deletion of a missing file': await files.remove(area, fresh),
    'upload onto a file': await files.upload(area, path, bytes),
    'upload with a wrong checksum': await files.upload(area, fresh, bytes, {
      checksum: files.checksumOf(bytes.subarray(1)),
    }),
    'upload without a checksum': await files.upload(area, fresh, bytes, { checksum: null }),
    'download without a credential': await files.download(area, path, { as: null }),
    'upload without a credential': await files.upload(area, fresh, bytes, { as: null }),
  };
}
