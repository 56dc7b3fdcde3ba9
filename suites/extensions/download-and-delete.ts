import { bytesOfContent, fileContent } from '../../fixtures/files.ts';
import { type CaseContext, property, scenario, undisturbed, unlessKept } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { expectUploaded, makeSource, namesBelow, uploadSource } from '../../judge/files/bulk-uploads.ts';
import { expectNothingAt, expectStored, holdsBytes, readFileBack } from '../../judge/files/stored-files.ts';
import { restart } from '../../judge/service/restart.ts';
import { rules } from '../../judge/rule.ts';
import { expiredLike } from '../../judge/service/token.ts';
import { unlessRefused } from '../../judge/violation.ts';
import {
  areaByArea,
  everyArea,
  expectBytes,
  expectReadsBack,
  expectStoredAndReadBack,
  inEvery,
  storeFile,
  uploadWorks,
  whereServed,
} from './checks/every-area.ts';
import {
  accessToken,
  alteredInside,
  remarkOnLogin,
  someWrongBasics,
  withAlteredPat,
  withPat,
  wrongBasics,
} from './checks/file-credentials.ts';
import {
  beginUpload,
  chunksOf,
  expectInOneChunk,
  fileOf,
  sampleChunkSize,
  smallChunkSize,
  smallestChunkSize,
} from './checks/upload-in-chunks.ts';

/** Of what stands beside a file and is one of its own, another in each area. */
const endingsBeside = ['.md5', '.meta', '.bak', '.json'];

/** Beyond a megabyte, however that is counted. */
const longBytes = 1_300_000;

/** The guided size of a stream upload. Source: extensions, Limits, file size guidance */
const longestBytes = 100_000;

export const downloadRules = rules('files', {
  'files.download.bearer': {
    source: 'extensions: File routes, row 3; Authentication, rule 1',
    statement:
      'A download with `Authorization: Bearer <token>` returns the stored content, and the same request without that header gets 401.',
    fault: 'Download ignores the Authorization header and accepts the query token only.',
    needs: ['file-area-any'],
    test: areaByArea(async (context, area) => {
      const { given, files, expect } = context;
      const { path, bytes } = await given.file({ area });
      const headers = { Authorization: `Bearer ${await accessToken(context, area)}` };
      expectBytes(context, await files.download(area, path, { as: null, headers }), bytes);
      expect(await files.download(area, path, { as: null })).toAnswer(401);
    }),
  },
  'files.download.query-token': {
    source: 'extensions: File routes, row 3; Authentication, rule 1',
    statement:
      'A download with the access token in the query parameter `token`, and no Authorization header, returns the stored content, as often as it is asked for, all of a long file too; without either it gets 401.',
    fault: 'Query parameter `token` is not read on downloads.',
    needs: ['file-area-any'],
    after: ['files.auth.download-missing-credential-401'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const { path, bytes } = await given.file({ area });
      for (const _time of [1, 2]) expectBytes(context, await files.download(area, path, { token: 'query' }), bytes);
      expect(await files.download(area, path, { as: null })).toAnswer(401);
      await expectFoundBehindAnother(context, area, path, bytes);
      await expectLongWhole(context, area, { token: 'query' });
    }),
  },
  'files.download.query-token-invalid-refused': {
    source: 'extensions: File routes, heading (authentication for all); Authentication, rule 1',
    statement:
      'A download whose `token` is garbage, has an altered signature, is empty, or has expired (where the profile has such a one or the key to mint it) is refused.',
    fault: 'The JWT in the query is decoded without verifying its signature.',
    needs: ['file-area-any'],
    after: ['files.download.query-token'],
    test: everyArea(async (context, area) => {
      const { given, files, expect, notes } = context;
      const { path } = await given.file({ area });
      const token = await accessToken(context, area);
      const works = async (): Promise<Reply> => {
        const reply = await files.download(area, path, { token: 'query' });
        given.succeeded(reply, 'a download with the token as it is', ['files.download.query-token']);
        return reply;
      };
      const expired = expiredLike(context, token, await works());
      const unusable = { altered: alteredInside(token), empty: '', garbage: 'abc' };
      for (const [what, text] of Object.entries({ ...unusable, ...(expired !== undefined && { expired }) })) {
        const reply = await files.download(area, path, { token: { text } });
        expect(reply).notToSucceed();
        notes.observe(`${area.name}: query token that is ${what}`, reply.status, reply);
      }
      await works();
    }),
  },
  'files.download.basic-pat': {
    source: 'extensions: Authentication, rule 1; core: Authentication, rule 5',
    statement:
      'A download with Basic authentication, user name plus personal access token as the password, returns the stored content, all of a long file too.',
    fault: 'Basic credentials are rejected on file routes.',
    needs: ['file-area-any', 'pat'],
    test: withPat(async (context, area) => {
      const { given, files, expect } = context;
      const { path, bytes } = await given.file({ area });
      expectBytes(context, await files.download(area, path, files.basic(area.as)), bytes);
      expect(await files.download(area, path, withAlteredPat(context, area))).notToSucceed();
      await expectLongWhole(context, area, files.basic(area.as));
    }),
  },
  'files.download.basic-wrong-pat-refused': {
    source: 'extensions: File routes, heading; Authentication, rule 1',
    statement:
      'Basic authentication with a wrong personal access token, with an empty one, or with a right one under another user name or none is refused.',
    fault: 'A user name with an empty password opens downloads.',
    needs: ['file-area-any', 'pat'],
    after: ['files.download.basic-pat'],
    test: withPat(async (context, area) => {
      const { given, files, expect, notes } = context;
      const { path } = await given.file({ area });
      for (const [what, credentials] of Object.entries(wrongBasics(context, area))) {
        const reply = await files.download(area, path, credentials);
        expect(reply).notToSucceed();
        notes.observe(`${area.name}: Basic with ${what}`, reply.status, reply);
      }
      await remarkOnLogin(context, area, 'a download', (changes) => files.download(area, path, changes));
      given.succeeded(await files.download(area, path, files.basic(area.as)), 'a download with Basic', [
        'files.download.basic-pat',
      ]);
    }),
  },
  'files.download.bytes-identical': {
    source: 'extensions: File routes, rows 1 and 3 (raw content in, content stream out)',
    statement:
      'What is downloaded equals what was uploaded, byte for byte, for arbitrary binary content, with zeros, line ends or what looks like the end of a form at its beginning or its end, by stream or chunk upload.',
    fault: 'Content that begins like UTF-16 is kept as UTF-8.',
    needs: ['file-area-any'],
    test: property(
      fileContent(longestBytes),
      (context, content) => {
        const bytes = bytesOfContent(content);
        return inEvery(context, context.files.areas, async (area) => {
          await expectComesBack(context, area, bytes);
          await expectComesBackFromChunks(context, area, bytes);
        });
      },
      {
        always: [
          { length: longestBytes, seed: 7, head: 'invalid UTF-8' },
          { length: 2000, seed: 7, head: 'wide byte order mark' },
          { length: 6, seed: 7, head: 'line ends' },
          { length: 1000, seed: 7, head: 'none', tail: 'nul' },
          { length: 1000, seed: 7, head: 'none', tail: 'line ends' },
          { length: 1000, seed: 7, head: 'gzip', tail: 'end of a form' },
        ],
        share: 0.1,
      },
    ),
  },
  'files.download.missing-file-fails': {
    source: 'extensions: File routes, row 3 (fails when the file does not exist)',
    statement:
      'A GET of a path that holds no file is answered outside 2xx, also where a file beside it has nearly that name, or that of what may be kept with it.',
    fault: 'A missing file beside others is answered with an empty 200.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const { path, bytes } = await given.file({ area });
      await expectReadsBack(context, area, path, bytes);
      expect(await files.download(area, siblingOf(path, given.unique('missing')))).notToSucceed();
      // what a service keeps beside a file is the same in each area
      const beside = area.name === files.any.name ? endingsBeside.map((ending) => path + ending) : [];
      for (const near of [given.filePath(), ...namesNear(path), ...beside])
        expect(await files.download(area, near)).notToSucceed();
      await expectReadsBack(context, area, path, bytes);
    }),
  },
  'files.download.missing-file-404': {
    level: 'should',
    source: 'core: Errors, status table row 404; extensions: File routes, row 3',
    statement:
      'The failure for a missing file is 404, following the status table of the core document; the file document itself gives no code.',
    fault: 'A missing file is answered with 500.',
    needs: ['file-area-any'],
    after: ['files.download.missing-file-fails'],
    test: everyArea(async ({ given, files, expect, notes }, area) => {
      const path = given.filePath();
      const replies = { GET: await files.download(area, path), DELETE: await files.remove(area, path) };
      for (const [method, reply] of Object.entries(replies)) {
        notes.observe(`${area.name}: ${method} of a missing file`, reply.status, reply);
        expect(reply).toAnswer(404);
      }
    }),
  },
  'files.download.response-headers': {
    level: 'observe',
    source: 'extensions: File routes, row 3; core: Common request headers (ETag on data other than SoftTypes)',
    statement:
      'Content-Type, Content-Length, Content-Disposition, ETag and range support of a download are not described for files; they are recorded.',
    fault: 'Not applicable as a failure; recorded variant: application/octet-stream for everything.',
    needs: ['file-area-any'],
    test: areaByArea(async ({ given, files, notes }, area) => {
      const { path } = await given.file({ area, bytes: given.bytes(300), contentType: 'text/csv' });
      const reply = await files.download(area, path);
      for (const name of ['Content-Type', 'Content-Length', 'Content-Disposition', 'ETag', 'Accept-Ranges'])
        notes.observe(
          `${area.name}: ${name} of a download`,
          formOfHeader(name, reply.headers[name.toLowerCase()]),
          reply,
        );
      const tag = reply.headers['etag'];
      if (tag !== undefined)
        notes.observe(
          `${area.name}: If-None-Match with that ETag`,
          (await files.download(area, path, { headers: { 'If-None-Match': tag } })).status,
        );
      const part = await files.download(area, path, { headers: { Range: 'bytes=0-9' } });
      notes.observe(`${area.name}: Range of ten bytes`, `${part.status}, ${part.bytes.byteLength} bytes`, part);
    }),
  },
  'files.delete.removes-file': {
    source: 'extensions: File routes, row 4',
    statement:
      'DELETE with a bearer token on an existing file succeeds, and a following GET of the same path fails, also one that names the ETag of what was there.',
    fault: 'A deleted file is still given to a query token.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect, profile } = context;
      const { path } = await given.file({ area });
      const there = await files.download(area, path);
      given.succeeded(there, 'the file is there', uploadWorks);
      expect(await files.remove(area, path)).toSucceed();
      const fresh = { headers: { 'Cache-Control': 'no-cache' } };
      expect(await files.download(area, path, fresh)).notToSucceed();
      expect(await files.download(area, path, { ...fresh, token: 'query' })).notToSucceed();
      const { username, pat } = profile.all.identities[area.as] ?? {};
      if (username !== undefined && pat !== undefined)
        expect(await files.download(area, path, files.basic(area.as))).notToSucceed();
      const { etag } = there.headers;
      if (etag === undefined) return;
      const named = await files.download(area, path, { headers: { 'If-None-Match': etag } });
      expect(named.status, 'status of a download of a deleted file whose ETag is named', named).toSatisfy(
        'a failure',
        (status) => status >= 400,
      );
    }),
  },
  'files.delete.missing-file-fails': {
    source: 'extensions: File routes, row 4 (fails when it does not exist)',
    statement:
      'DELETE on a path without a file is answered outside 2xx, both for a never used name, be it nearly that of a file, and for a second DELETE of the same file.',
    fault: 'A second DELETE of a file answers 204.',
    needs: ['file-area-any'],
    after: ['files.delete.removes-file'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      expect(await files.remove(area, given.filePath())).notToSucceed();
      const { path } = await given.file({ area });
      given.succeeded(await files.remove(area, path), 'the first deletion', ['files.delete.removes-file']);
      expect(await files.remove(area, path)).notToSucceed();
      const other = await given.file({ area });
      for (const near of namesNear(other.path)) expect(await files.remove(area, near)).notToSucceed();
      await expectReadsBack(context, area, other.path, other.bytes);
    }),
  },
  'files.delete.leaves-siblings': {
    source: 'extensions: File routes, row 4 (the file)',
    statement:
      'Deleting one file leaves the other files untouched: those of its directory and of its subdirectories, those whose names share a prefix, be it that of a checksum or a copy, or differ where this one has an underscore or, where both are taken, in the case of letters, and those of its name in the root and in other directories, with the same content as well. So does a deletion that is refused because the path names a directory.',
    fault: 'DELETE removes everything that starts with the path.',
    needs: ['file-area-any'],
    after: ['files.delete.removes-file'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const [directory, begin] = [given.unique('siblings'), given.unique('name')];
      // an underscore stands for any character to some databases
      const name = `${begin}_a`;
      const ending = endingsBeside[context.files.areas.indexOf(area) % endingsBeside.length];
      const held = new Set<string>();
      // a store may keep equal contents once
      const bytes = given.bytes(150);
      for (const path of [
        `${directory}/${name}`,
        name,
        `${directory}/${name}${ending}`,
        `${directory}/${name}b`,
        `${directory}/${begin}-a`,
        `${directory}/${name}.d/x`,
        `${directory}/below/${name}`,
        `${directory}-too/${name}`,
      ])
        held.add((await given.file({ area, path, bytes })).path);
      // whether names that differ in the case of letters alone are two is not said
      const capitals = await unlessRefused(() =>
        given.file({ area, path: `${directory}/${name.toUpperCase()}`, bytes }),
      );
      if (capitals !== undefined) held.add(capitals.path);
      const directories = [`${directory}/${name}.d`, directory];
      for (const path of [`${directory}/${name}`, name, ...directories]) {
        const reply = await files.remove(area, path);
        if (held.delete(path)) expect(reply).toSucceed();
        // what becomes of what is in a directory that a file route deletes is not said
        else if (isSuccess(reply.status)) return;
        for (const other of held) await expectReadsBack(context, area, other, bytes);
      }
    }),
  },
  'files.restart.same-files': {
    source: 'extensions: File routes, rows 3 and 4',
    statement:
      'A restart of the service leaves every file as it was: one that was uploaded whole or in chunks has its content, and one that was deleted is gone.',
    fault: 'A restart brings back what was deleted before it.',
    needs: ['file-area-any', 'restart-control'],
    after: ['files.delete.removes-file', 'files.chunk.two-chunks', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { given, files, expect, profile } = context;
      const left = await Promise.all(
        files.areas.map(async (area) => {
          const [kept, gone] = [await given.file({ area }), await given.file({ area })];
          const chunked = { ...fileOf(context, smallChunkSize(context) * 2), area };
          await beginUpload(context, chunked, chunksOf(chunked));
          await expectStored(context, chunked);
          given.succeeded(await files.remove(area, gone.path), 'a deletion', ['files.delete.removes-file']);
          return { area, gone: gone.path, stored: [kept, chunked] };
        }),
      );
      await restart(profile.all);
      for (const { area, gone, stored } of left) {
        for (const { path, bytes } of stored) await expectReadsBack(context, area, path, bytes);
        expect(await files.download(area, gone)).notToSucceed();
      }
    }),
  },
  'files.delete.seen-undisturbed': {
    source: 'extensions: File routes, rows 1 to 4',
    statement:
      'Each download tells of the upload or deletion before it, also where nobody writes anything else: of a file that was missing by each way of upload, of one that is gone, and of another one in its place.',
    fault: 'That a file is missing is kept until something other than a file is written.',
    needs: ['file-area-any'],
    after: ['files.stream.reupload-after-delete'],
    test: undisturbed(async (context) => {
      for (const area of context.files.areas) {
        const byStream = (path: string): Promise<void> =>
          expectStoredAndReadBack(context, { area, path, bytes: context.given.bytes(100) });
        const inOneChunk = (path: string): Promise<void> => expectInOneChunk(context, area, path);
        await whereServed(context, [area], () => expectChangesSeen(context, area, byStream));
        await unlessKept(() => expectChangesSeen(context, area, inOneChunk), context);
      }
      await unlessKept(() => expectBulkUploadSeen(context), context);
    }),
  },
  'files.delete.basic-pat': {
    level: 'should',
    source: 'extensions: Authentication, rule 1 against File routes, row 4 (row names the bearer header only)',
    statement: 'Basic authentication with a personal access token is accepted for DELETE as on the other file routes.',
    fault: 'DELETE accepts bearer tokens only.',
    needs: ['file-area-any', 'pat'],
    test: withPat(async (context, area) => {
      const { given, files, expect, profile, notes } = context;
      const { path, bytes } = await given.file({ area });
      for (const wrong of someWrongBasics(context, area)) expect(await files.remove(area, path, wrong)).notToSucceed();
      await expectReadsBack(context, area, path, bytes);
      const beside = await given.file({ area });
      await remarkOnLogin(context, area, 'a deletion', (changes) => files.remove(area, beside.path, changes));
      const reply = await files.remove(area, path, files.basic(area.as));
      notes.observe(`${area.name}: DELETE with Basic`, reply.status, reply);
      if (profile.all.files?.basicOnDelete === false) return expect(reply).notToSucceed();
      expect(reply).toSucceed();
      await expectNothingAt(context, area, path);
    }),
  },
  'files.delete.query-token': {
    level: 'observe',
    source: 'extensions: Authentication, rule 1 (query token named for downloads)',
    statement:
      'The query token is offered for downloads; whether uploads and DELETE accept it as the only credential is not said.',
    fault: 'Not applicable as a failure; recorded variant: query token accepted on every method.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      const { given, files, service, notes } = context;
      const area = files.any;
      const token = await accessToken(context, area);
      const [path, chunked, file] = [given.filePath(), given.filePath(), await given.file({ area })];
      const bytes = given.bytes(100);
      given.bookFile(area, path);
      given.bookFile(area, chunked);
      const isThere = async (at: string): Promise<boolean> => isSuccess((await files.download(area, at)).status);
      const chunk = { path: chunked, file: bytes, chunkSize: sampleChunkSize, number: 1 };
      const requests = {
        'stream upload': { request: files.uploadRequest(area, path, bytes), isDone: () => isThere(path) },
        'chunk upload': { request: files.chunkRequest(area, chunk), isDone: () => isThere(chunked) },
        deletion: { request: files.removeRequest(area, file.path), isDone: async () => !(await isThere(file.path)) },
      };
      for (const [what, { request, isDone }] of Object.entries(requests)) {
        const reply = await service.send(request, { url: withToken(request.url, token), as: null });
        notes.observe(`${what} with the query token alone`, reply.status, reply);
        // a refusal that does it all the same has opened
        const opens = isSuccess(reply.status) || (await isDone());
        notes.bound('queryTokenElsewhere', `${what} opens to the query token alone`, opens, reply);
        notes.remarkServerError(reply);
      }
    }),
  },
});

async function expectComesBack(context: CaseContext, area: FileArea, bytes: Uint8Array): Promise<void> {
  const path = context.given.filePath();
  await storeFile(context, area, path, bytes);
  await expectReadsBack(context, area, path, bytes);
  // on its way it may be packed for whoever says that he takes it
  expectBytes(context, await context.files.download(area, path, { headers: { 'Accept-Encoding': 'gzip' } }), bytes);
}

async function expectComesBackFromChunks(context: CaseContext, area: FileArea, file: Uint8Array): Promise<void> {
  const chunkSize = Math.max(smallestChunkSize(context), Math.ceil(file.byteLength / 3));
  const upload = { area, path: context.given.filePath(), bytes: file, chunkSize };
  await beginUpload(context, upload, chunksOf(upload));
  // the file may be put together behind the answer to its last chunk
  await expectStored(context, upload);
}

/** A long file comes back as it does by the header. Nothing where it does not come in chunks, or not back; one area tells of all. */
async function expectLongWhole(
  context: CaseContext,
  area: FileArea,
  changes: Parameters<CaseContext['files']['download']>[2],
): Promise<void> {
  const { files } = context;
  if (area.name !== files.any.name) return;
  const file = fileOf(context, longBytes, { area, chunkSize: smallChunkSize(context, longBytes / 2) });
  const sent = await unlessRefused(async () => {
    await beginUpload(context, file, chunksOf(file));
    return readFileBack(context, file);
  });
  if (sent !== undefined && holdsBytes(sent, file.bytes))
    expectBytes(context, await files.download(area, file.path, changes), file.bytes);
}

async function expectChangesSeen(
  context: CaseContext,
  area: FileArea,
  upload: (path: string) => Promise<void>,
): Promise<void> {
  const path = context.given.filePath();
  await expectNothingAt(context, area, path);
  for (let times = 0; times < 2; times += 1) {
    await upload(path);
    context.given.succeeded(await context.files.remove(area, path), 'a DELETE is accepted', [
      'files.delete.removes-file',
    ]);
    await expectNothingAt(context, area, path);
  }
}

async function expectBulkUploadSeen(context: CaseContext): Promise<void> {
  const [name = ''] = namesBelow(context, 'seen.bin');
  const from = await makeSource(context, [name]);
  await expectNothingAt(context, context.files.area('space'), name);
  await uploadSource(context, from);
  await expectUploaded(context, from);
}

/** Paths that a look-up by less than the whole path takes for that of the file: without its ending, cut by a character, with more behind it, with a slash elsewhere. */
function namesNear(path: string): readonly string[] {
  const moved = path.replace(/(.)\/(.)(?=[^/]+$)/, '$1$2/');
  return [path.replace(/\.[^./]*$/, ''), path.slice(0, -1), `${path}.bin`, moved].filter((near) => near !== path);
}

function siblingOf(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) + name;
}

/** Whether there is one, where the text itself differs from file to file. */
function formOfHeader(name: string, value: string | undefined): string {
  if (value === undefined) return 'none';
  if (name === 'ETag') return value.startsWith('W/') ? 'a weak one' : 'a strong one';
  return name === 'Content-Disposition' ? (value.split(';')[0] ?? '') : value;
}

/** The token is a parameter of the query, which need not be its first one, where others are let pass. */
async function expectFoundBehindAnother(
  context: CaseContext,
  area: FileArea,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const { service, files, notes } = context;
  const { url } = (await files.download(area, path)).exchange.request;
  const another = `${url}${url.includes('?') ? '&' : '?'}v=2`;
  const known = await service.get(another, { as: area.as });
  notes.observe('a download with another parameter', known.status, known);
  if (!isSuccess(known.status)) return;
  const token = await accessToken(context, area);
  expectBytes(context, await service.get(withToken(another, token), { as: null }), bytes);
}

/** The URL with the parameter `token`. */
function withToken(url: string, token: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}`;
}
