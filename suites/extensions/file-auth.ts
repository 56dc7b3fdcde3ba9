import { commonersOf } from '../core/checks/readers.ts';
import { posix } from 'node:path';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../judge/exchange.ts';
import type { FileArea, GivenFile } from '../../judge/files/files.ts';
import { expectNothingAt, expectStored, holdsBytes, readFileBack } from '../../judge/files/stored-files.ts';
import { urlInSpace } from '../../judge/every-answer/openapi.ts';
import { rules } from '../../judge/rule.ts';
import { withBearer, decodePart, encodePart, expiredLike, partsOf } from '../../judge/service/token.ts';
import { areaAs, everyArea, expectReadsBack, inEvery, storeFile } from './checks/every-area.ts';
import { type Upload, beginUpload, fileInChunks, sampleChunkSize, sendChunk } from './checks/upload-in-chunks.ts';
import { accessToken, alteredInside, remarkOnLogin, someWrongBasics, withPat } from './checks/file-credentials.ts';

const nobody: Changes = { as: null };

export const fileAuthRules = rules('files', {
  'files.auth.stream-missing-credential-401': {
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A stream upload without any credential is answered 401 and stores nothing.',
    fault: 'Stream route is not behind the authentication check.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const path = given.filePath();
      expect(await files.upload(area, path, given.bytes(100), nobody)).toAnswer(401);
      await expectNothingAt(context, area, path);
      await storeFile(context, area, given.filePath(), given.bytes(100));
    }),
  },
  'files.auth.chunk-missing-credential-401': {
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement:
      'A chunk upload call without any credential, be it the first or the last of a file, is answered 401 and stores nothing.',
    fault: 'Chunk route is not behind the authentication check.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, expect } = context;
      const path = given.filePath();
      expect(await sendInOneChunk(context, area, path, nobody)).toAnswer(401);
      await expectNothingAt(context, area, path);
      given.succeeded(await sendInOneChunk(context, area, given.filePath()), 'the same with a credential', [
        'files.chunk.single-chunk',
      ]);
      await expectLastChunkShut(context, area, nobody, 401);
    }),
  },
  'files.auth.download-missing-credential-401': {
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement:
      'A download without header and without query token is answered 401, also one that names the ETag of what is there, right behind one that got it. So is a listing that tells others what is there.',
    fault: 'Downloads are public.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect, notes } = context;
      const { path, text } = await makeTelling(context, area);
      const reply = await files.download(area, path, nobody);
      expect(reply).toAnswer(401);
      expect(reply.text.includes(text), 'the answer shows the content', reply).toEqual(false);
      notes.observe(
        `${area.name}: a missing file without a credential`,
        (await files.download(area, given.filePath(), nobody)).status,
      );
      const read = await files.download(area, path);
      given.succeeded(read, 'the same with a credential', ['files.download.bearer']);
      const { etag } = read.headers;
      if (etag !== undefined)
        expect(await files.download(area, path, { ...nobody, headers: { 'If-None-Match': etag } })).toAnswer(401);
      await expectListingShut(context, { area, path }, (place) => files.directory(area, place, nobody), 401);
    }),
  },
  'files.auth.delete-missing-credential-401': {
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A DELETE without credential is answered 401 and removes nothing.',
    fault: 'DELETE is carried out before the authentication check answers.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const { path, bytes } = await given.file({ area });
      expect(await files.remove(area, path, nobody)).toAnswer(401);
      await expectReadsBack(context, area, path, bytes);
    }),
  },
  'files.auth.invalid-bearer-refused': {
    source: 'extensions: File routes, heading; core: Authentication, rules 2 and 6',
    statement:
      'A bearer value that is no valid token (garbage, JWT with altered payload or signature, `alg` none, one that has expired where the profile has it or the key to mint it) is refused on every file route.',
    fault: 'JWT payload is trusted when `alg` is none.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect, notes } = context;
      const file = await given.file({ area });
      const refused = freshPaths(context);
      const token = await accessToken(context, area);
      const expired = expiredLike(context, token, await files.download(area, file.path));
      const unusable = { ...forgedFrom(token), ...(expired !== undefined && { 'that has expired': expired }) };
      for (const [what, forged] of Object.entries(unusable)) {
        const replies = await askFourRoutes(context, file, withBearer(forged), refused);
        for (const reply of replies) expect(reply).notToSucceed();
        notes.observe(`${area.name}: token ${what}`, replies.map(({ status }) => status).join(', '));
      }
      for (const path of refused) await expectNothingAt(context, area, path);
      for (const reply of await askFourRoutes(context, file, withBearer(token)))
        given.succeeded(reply, 'the same with the token as it is', ['files.download.bearer']);
    }),
  },
  'files.auth.space-non-member-403': {
    source: 'core: Authentication, rules 6 and 7; extensions: File routes, heading',
    statement:
      'A valid user without a role in the space gets 403 on the file routes of that space: those of its space, user and participant areas, and no listing where others get one; having been let into another space just before changes nothing, nor does Basic authentication open what a token does not, nor a role on a participant whose name stands in the path, where that is one of another space.',
    fault: 'Any authenticated user may use the file routes of every space.',
    needs: ['file-area-space', 'outsider-identity'],
    test: scenario((context) => {
      const areas = context.files.areas.filter(({ name }) => name !== 'collection');
      return inEvery(context, areas, async (area) => {
        await enterAtHome(context, area);
        await expectForbidden(context, area, 'outsider');
        await expectLastChunkShut(context, area, { as: 'outsider' }, 403);
        await expectShutByName(context, area);
      });
    }),
  },
  'files.auth.collection-non-admin-403': {
    source: 'core: Authentication, rule 7; core: What the service does, collection level',
    statement: 'A user who is not Collection Administrator gets 403 on the collection file area.',
    fault: 'Collection file area is open to every authenticated user.',
    needs: ['file-area-collection', 'editor-identity'],
    test: scenario(async (context) => {
      const { given, files } = context;
      for (const as of commonersOf(context)) await expectForbidden(context, files.area('collection'), as);
      const space = files.areas.find(({ name }) => name === 'space');
      if (space !== undefined) await storeFile(context, areaAs(space, 'editor'), given.filePath(), given.bytes(100));
    }),
  },
  'files.auth.participant-foreign-role': {
    level: 'observe',
    source: 'extensions: File areas, row Participant; core: Authentication, rule 7',
    statement:
      'Whether a user with a role on one participant may use the area of another participant of the same space is not said.',
    fault: 'Not applicable as a failure; recorded variant: open to all members of the space.',
    needs: ['file-area-participant', 'second-participant', 'editor-identity'],
    test: scenario(async (context) => {
      const { given, files, notes } = context;
      const { area, path } = await given.file({ area: files.secondParticipant });
      const foreign = areaAs(area, 'editor');
      const replies = {
        POST: await files.upload(foreign, given.filePath(), given.bytes(100)),
        'POST of a chunk': await sendInOneChunk(context, foreign, given.filePath()),
        GET: await files.download(foreign, path),
        DELETE: await files.remove(foreign, path),
      };
      for (const [method, reply] of Object.entries(replies)) {
        const who = `${method} by a member without a role on the participant`;
        notes.observe(who, reply.status, reply);
        notes.bound('foreignParticipantArea', `${who} is accepted`, isSuccess(reply.status), reply);
      }
    }),
  },
  'files.auth.upload-basic-pat': {
    source: 'extensions: Authentication, rule 1',
    statement:
      'The Basic form (user name, personal access token as password) opens stream and chunk uploads too, in the root as in folders; what comes by it is held against its checksum, and a wrong token, or the right one under another name, stores nothing.',
    fault: 'Basic credentials are not honoured on POST.',
    needs: ['file-area-any', 'pat'],
    test: withPat(async (context, area) => {
      const { given, files, expect } = context;
      const basic = files.basic(area.as);
      const [chunked, refused] = [given.filePath(), given.filePath()];
      const bytes = given.bytes(100);
      for (const path of [given.filePath(), given.filePath({ root: true })]) {
        expect(await files.upload(area, path, bytes, basic)).toSucceed();
        await expectReadsBack(context, area, path, bytes);
      }
      expect(await sendInOneChunk(context, area, chunked, basic, bytes)).toSucceed();
      const read = await readFileBack(context, { area, path: chunked, bytes });
      given.succeeded(read, 'the chunk upload reads back', ['files.chunk.single-chunk']);
      for (const wrong of someWrongBasics(context, area)) {
        expect(await files.upload(area, refused, bytes, wrong)).notToSucceed();
        expect(await sendInOneChunk(context, area, refused, wrong)).notToSucceed();
      }
      await expectNothingAt(context, area, refused);
      await remarkOnLogin(context, area, 'an upload', (changes) => files.upload(area, refused, bytes, changes));
      await expectCheckedWithBasic(context, area);
    }),
  },
});

/** What comes by the Basic form is held against its checksum like everything else. */
async function expectCheckedWithBasic(context: CaseContext, area: FileArea): Promise<void> {
  const { given, files, expect } = context;
  const path = given.filePath();
  const changes = { ...files.basic(area.as), checksum: files.checksumOf(given.bytes(10)) };
  expect(await files.upload(area, path, given.bytes(100), changes)).notToSucceed();
  await expectNothingAt(context, area, path);
}

/** A whole file in one chunk. */
function sendInOneChunk(
  { given, files }: CaseContext,
  area: FileArea,
  path: string,
  changes?: Changes,
  file = given.bytes(100),
): Promise<Reply> {
  return files.chunk(area, { path, file, chunkSize: sampleChunkSize, number: 1 }, changes);
}

/** A file that was begun rightly does not end with the chunk of somebody else, and still ends with the right one. */
async function expectLastChunkShut(
  context: CaseContext,
  area: FileArea,
  stranger: Changes,
  status: number,
): Promise<void> {
  const upload = fileInChunks(context, 2, { area });
  await beginUpload(context, upload, 1);
  context.expect(await sendChunk(context, upload, 2, { changes: stranger })).toAnswer(status);
  await expectUnfinished(context, upload);
  await beginUpload(context, upload, 2, 2);
  await expectStored(context, upload);
}

/** What a GET shows of a part is not said, but it is not the whole. */
async function expectUnfinished({ files, expect }: CaseContext, { area, path, bytes }: Upload): Promise<void> {
  const reply = await files.download(area, path);
  expect(holdsBytes(reply, bytes), 'a file whose last chunk was refused is whole', reply).toEqual(false);
}

/** Tokens that nobody issued: garbage and, where the right one is a JWT, that with another payload or signature, and unsigned. */
function forgedFrom(token: string): Readonly<Record<string, string>> {
  const [header, payload, signature] = partsOf(token);
  const claims = decodePart(payload);
  if (decodePart(header) === undefined || claims === undefined)
    return { garbage: 'abc', altered: alteredInside(token) };
  const unsigned = `${encodePart({ alg: 'none', typ: 'JWT' })}.${payload}`;
  return {
    garbage: 'abc',
    'with another payload': `${header}.${encodePart({ ...claims, jti: 'altered' })}.${signature}`,
    'with an altered signature': alteredInside(token),
    'with alg none': `${unsigned}.`,
    'with alg none and the signature': `${unsigned}.${signature}`,
  };
}

/** Where the two uploads of a round of requests would leave a file. */
type FreshPaths = readonly [streamed: string, chunked: string];

function freshPaths({ given }: CaseContext): FreshPaths {
  return [given.filePath(), given.filePath()];
}

/** A file whose content can be found in any answer that shows it. */
async function makeTelling({ given }: CaseContext, area: FileArea): Promise<GivenFile & { readonly text: string }> {
  const text = given.unique('told');
  return { ...(await given.file({ area, bytes: Buffer.from(text) })), text };
}

/** One request to each route that a file has; the last one deletes the file. */
async function askFourRoutes(
  context: CaseContext,
  { area, path }: GivenFile,
  changes: Changes,
  [streamed, chunked] = freshPaths(context),
): Promise<readonly Reply[]> {
  const { given, files } = context;
  return [
    await files.upload(area, streamed, given.bytes(100), changes),
    await sendInOneChunk(context, area, chunked, changes),
    await files.download(area, path, changes),
    await files.remove(area, path, changes),
  ];
}

/** The outsider looks into an area of this kind in the other space, which participants of other names have. */
async function enterAtHome({ given, files, notes, profile }: CaseContext, area: FileArea): Promise<void> {
  const { secondSpace } = profile.all;
  if (secondSpace === undefined || area.name === 'participant') return;
  const home = { ...areaAs(area, 'outsider'), path: urlInSpace(area.path, secondSpace.space) };
  const reply = await files.download(home, given.filePath());
  notes.observe(`${area.name}: a missing file in the space of the outsider`, reply.status, reply);
}

/** Nor does a role on a participant of this space open anything of the other one to somebody who has none there, whatever name the path has. */
async function expectShutByName(context: CaseContext, area: FileArea): Promise<void> {
  const { given, files, service, expect, profile } = context;
  const { secondSpace, identities } = profile.all;
  if (secondSpace === undefined || area.name !== 'participant') return;
  const url = urlInSpace(service.requests.openApi().url, secondSpace.space);
  for (const as of ['editor', 'reader', 'secondEditor', 'spaceAdministrator'] as const) {
    if (identities[as] === undefined || (await service.openApi({ url, as })).status !== 403) continue;
    const there = { ...areaAs(area, as), path: urlInSpace(area.path, secondSpace.space) };
    expect(await files.upload(there, given.filePath(), given.bytes(100))).notToSucceed();
    expect(await sendInOneChunk(context, there, given.filePath())).notToSucceed();
    expect(await files.download(there, given.filePath())).notToSucceed();
  }
}

/** Every route answers 403 to that identity and shows nothing, the file stays, and none comes. */
async function expectForbidden(context: CaseContext, area: FileArea, sender: FileArea['as']): Promise<void> {
  const { files, expect } = context;
  const file = await makeTelling(context, area);
  const refused = freshPaths(context);
  for (const reply of await askFourRoutes(context, file, { as: sender }, refused)) {
    expect(reply).toAnswer(403);
    expect(reply.text.includes(file.text), 'the answer shows the content', reply).toEqual(false);
  }
  for (const path of refused) await expectNothingAt(context, area, path);
  expect(await files.download(areaAs(area, sender), file.path, { token: 'query' })).notToSucceed();
  await expectShutToBasic(context, file, sender);
  await expectListingShut(context, file, (place) => files.directory(areaAs(file.area, sender), place));
  await expectReadsBack(context, area, file.path, file.bytes);
}

/** What the access token of that identity does not open, its name and personal access token do not open either. */
async function expectShutToBasic(
  context: CaseContext,
  { area, path }: GivenFile,
  sender: FileArea['as'],
): Promise<void> {
  const { given, files, expect, profile } = context;
  const { username, pat } = profile.all.identities[sender] ?? {};
  if (username === undefined || pat === undefined) return;
  const refused = given.filePath();
  expect(await files.download(area, path, files.basic(sender))).notToSucceed();
  expect(await files.upload(area, refused, given.bytes(100), files.basic(sender))).notToSucceed();
  await expectNothingAt(context, area, refused);
}

/** Where a listing tells what is in the area, whoever has no access to that gets none: of the root, which may be their own, nor of the directory. */
async function expectListingShut(
  { files, expect, notes }: CaseContext,
  { area, path }: Pick<GivenFile, 'area' | 'path'>,
  ask: (place: string | undefined) => Promise<Reply>,
  status?: number,
): Promise<void> {
  const [directory = ''] = path.split('/', 1);
  for (const place of [undefined, directory]) {
    const shown = await files.directory(area, place);
    const name = place === undefined ? directory : posix.basename(path);
    const isListed = isSuccess(shown.status) && shown.text.includes(name);
    notes.observe(`${area.name}: a listing tells what is there`, isListed, shown);
    if (!isListed) continue;
    const refused = await ask(place);
    if (status === undefined) expect(refused).notToSucceed();
    else expect(refused).toAnswer(status);
    expect(refused.text.includes(name), 'the refusal of a listing tells what is there', refused).toEqual(false);
  }
}
