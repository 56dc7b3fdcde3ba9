import { basicAuthorization } from '../../judge/requests.ts';
import { type CaseContext, scenario, type ServiceCase } from '../../judge/case.ts';
import type { Changes, Reply } from '../../judge/exchange.ts';
import type { FileArea, GivenFile } from '../../judge/files/files.ts';
import { expectNothingAt, isSuccess } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import { alterAt, withBearer, decodePart, encodePart, partsOf } from '../../judge/token.ts';
import { everyArea, inEvery, readsBack, stored, storesAndReadsBack, usedBy, whereServed } from './file-areas.ts';
import { fileHistories } from './file-races.ts';

const nobody: Changes = { as: null };

/** What fails is left to the rules of one area. */
const mixed = fileHistories({
  paths: ['one/a', 'two/a'],
  groups: (declared) => [declared],
  refusals: false,
  steps: 40,
  share: 0.2,
});

export const fileAccessRules = rules('files', {
  'files.auth.stream-missing-credential-401': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A stream upload without any credential is answered 401 and stores nothing.',
    fault: 'Stream route is not behind the authentication check.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const path = given.filePath();
      expect(await files.upload(area, path, given.bytes(100), nobody)).toAnswer(401);
      await expectNothingAt(context, area, path);
      await stored(context, area, given.filePath(), given.bytes(100));
    }),
  },
  'files.auth.chunk-missing-credential-401': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A chunk upload call without any credential is answered 401 and stores nothing.',
    fault: 'Chunk route is not behind the authentication check.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, expect } = context;
      const path = given.filePath();
      expect(await oneChunk(context, area, path, nobody)).toAnswer(401);
      await expectNothingAt(context, area, path);
      given.succeeded(await oneChunk(context, area, given.filePath()), 'the same with a credential', [
        'files.chunk.single-chunk',
      ]);
    }),
  },
  'files.auth.download-missing-credential-401': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A download without header and without query token is answered 401.',
    fault: 'Downloads are public.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect, notes } = context;
      const { path, bytes } = await given.file({ area });
      const reply = await files.download(area, path, nobody);
      expect(reply).toAnswer(401);
      expect(Buffer.from(reply.bytes).includes(Buffer.from(bytes)), 'the answer shows the content', reply).toEqual(
        false,
      );
      notes.observe(
        `${area.name}: a missing file without a credential`,
        (await files.download(area, given.filePath(), nobody)).status,
      );
      given.succeeded(await files.download(area, path), 'the same with a credential', ['files.download.bearer']);
    }),
  },
  'files.auth.delete-missing-credential-401': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rule 6',
    statement: 'A DELETE without credential is answered 401 and removes nothing.',
    fault: 'DELETE is carried out before the authentication check answers.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const { path, bytes } = await given.file({ area });
      expect(await files.remove(area, path, nobody)).toAnswer(401);
      await readsBack(context, area, path, bytes);
    }),
  },
  'files.auth.invalid-bearer-refused': {
    level: 'must',
    source: 'extensions: File routes, heading; core: Authentication, rules 2 and 6',
    statement:
      'A bearer value that is no valid token (garbage, JWT with altered payload or signature, `alg` none) is refused on every file route.',
    fault: 'JWT payload is trusted when `alg` is none.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, expect, notes } = context;
      const file = await given.file({ area });
      const token = await accessToken(context, area);
      for (const [what, forged] of Object.entries(forgedFrom(token))) {
        const replies = await fourRoutes(context, file, withBearer(forged));
        for (const reply of replies) expect(reply).notToSucceed();
        notes.observe(`${area.name}: token ${what}`, replies.map(({ status }) => status).join(', '));
      }
      for (const reply of await fourRoutes(context, file, withBearer(token)))
        given.succeeded(reply, 'the same with the token as it is', ['files.download.bearer']);
    }),
  },
  'files.auth.space-non-member-403': {
    level: 'must',
    source: 'core: Authentication, rules 6 and 7; extensions: File routes, heading',
    statement: 'A valid user without a role in the space gets 403 on the file routes of that space.',
    fault: 'Any authenticated user may use the file routes of every space.',
    needs: ['file-area-space', 'outsider-identity'],
    test: scenario(async (context) => {
      const file = await context.given.file({ area: context.files.area('space') });
      await isForbidden(context, file, 'outsider');
    }),
  },
  'files.auth.collection-non-admin-403': {
    level: 'must',
    source: 'core: Authentication, rule 7; core: What the service does, collection level',
    statement: 'A user who is not Collection Administrator gets 403 on the collection file area.',
    fault: 'Collection file area is open to every authenticated user.',
    needs: ['file-area-collection', 'editor-identity'],
    test: scenario(async (context) => {
      const { given, files } = context;
      await isForbidden(context, await given.file({ area: files.area('collection') }), 'editor');
      const space = files.areas.find(({ name }) => name === 'space');
      if (space !== undefined) await stored(context, usedBy(space, 'editor'), given.filePath(), given.bytes(100));
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
      const foreign = usedBy(area, 'editor');
      const replies = {
        POST: await files.upload(foreign, given.filePath(), given.bytes(100)),
        GET: await files.download(foreign, path),
        DELETE: await files.remove(foreign, path),
      };
      for (const [method, reply] of Object.entries(replies))
        notes.observe(`${method} by a member without a role on the participant`, reply.status, reply);
    }),
  },
  'files.auth.upload-basic-pat': {
    level: 'must',
    source: 'extensions: Authentication, rule 1',
    statement: 'The Basic form (user name, personal access token as password) opens stream and chunk uploads too.',
    fault: 'Basic credentials are not honoured on POST.',
    needs: ['file-area-any', 'pat'],
    test: withPat(async (context, area) => {
      const { given, files, expect } = context;
      const basic = files.basic(area.as);
      const [path, chunked, refused] = [given.filePath(), given.filePath(), given.filePath()];
      const bytes = given.bytes(100);
      expect(await files.upload(area, path, bytes, basic)).toSucceed();
      await readsBack(context, area, path, bytes);
      expect(await oneChunk(context, area, chunked, basic)).toSucceed();
      given.succeeded(await files.download(area, chunked), 'the chunk upload reads back', ['files.chunk.single-chunk']);
      expect(await files.upload(area, refused, bytes, withAlteredPat(context, area))).notToSucceed();
      await expectNothingAt(context, area, refused);
    }),
  },
  'files.isolation.between-areas': {
    level: 'must',
    source: 'extensions: File areas, table',
    statement: 'The four areas are separate stores: the same relative path holds four independent files.',
    fault: 'Collection area is stored in the space area.',
    needs: [
      'file-area-collection',
      'file-area-space',
      'file-area-user',
      'file-area-participant',
      'collection-admin',
      'editor-identity',
    ],
    test: alsoAtRandom((context) =>
      whereServed(context, context.files.areas, () => holdOwnFiles(context, context.files.areas)),
    ),
  },
  'files.isolation.between-users': {
    level: 'must',
    source: 'extensions: File areas, row User',
    statement:
      'A file in the user area of one user is neither readable, nor deletable, nor in the way for another user of the same space.',
    fault: 'User area is keyed by space only.',
    needs: ['file-area-user', 'editor-identity', 'second-editor'],
    after: ['files.user-area.base-path'],
    test: scenario(async (context) => {
      const { given, files, expect } = context;
      const first = files.userArea('editor');
      const second = files.userArea('secondEditor');
      const { path, bytes } = await given.file({ area: first });
      await expectNothingAt(context, second, path);
      expect(await files.remove(second, path)).notToSucceed();
      await storesAndReadsBack(context, second, path, given.bytes(90));
      await readsBack(context, first, path, bytes);
    }),
  },
  'files.isolation.between-participants': {
    level: 'must',
    source: 'extensions: File areas, row Participant',
    statement: 'Two participants of a space have separate areas.',
    fault: 'Participant id in the path is ignored.',
    needs: ['file-area-participant', 'second-participant', 'editor-identity', 'second-editor'],
    after: ['files.participant-area.base-path'],
    test: scenario(async (context) => {
      const { files } = context;
      const [first, second] = [usedBy(files.area('participant'), 'editor'), files.secondParticipant];
      await holdOwnFiles(context, [first, second]);
      const both = [usedBy(first, second.as), second] as const;
      if (await mayUse(context, both[0])) await holdOwnFiles(context, both);
    }),
  },
  'files.isolation.between-spaces': {
    level: 'must',
    source: 'extensions: File areas, rows Space and User',
    statement: "Areas of different spaces are separate, for the space area and for the same user's user area.",
    fault: 'Space id in the path is ignored for the storage of space areas.',
    needs: ['file-area-space', 'second-space'],
    after: ['files.space-area.base-path'],
    test: scenario(async (context) => {
      const { files } = context;
      const spaces = [usedBy(files.area('space'), 'editor'), files.secondSpace] as const;
      await holdOwnFiles(context, spaces);
      const userArea = files.areas.find(({ name }) => name === 'user');
      if (userArea !== undefined)
        await whereServed(context, [userArea], () => holdOwnFiles(context, spaces.map(userAreaBeside)));
    }),
  },
  'files.area.model-sequence': {
    level: 'must',
    source: 'extensions: File routes, rows 1, 3 and 4',
    statement:
      'Any sequence of stream uploads, downloads and deletions on a few names behaves like a map from path to bytes, with upload failing on a present key and read and delete failing on an absent one.',
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
      paths: ['one/a', 'one/b', 'one/c', 'two/a', 'two/b', 'two/c'],
      groups: (declared) => declared.map((area) => [area]),
      refusals: true,
      steps: 40,
      share: 0.6,
    }),
  },
});

/** The access token of whoever uses the area. */
export async function accessToken({ given, service }: CaseContext, area: FileArea): Promise<string> {
  return given.present(await service.token(area.as), `an access token of the ${area.as}`, [
    'auth.grant.returns-access-token',
  ]);
}

/** The text with one character changed inside its last part, not at its end, whose low bits may mean nothing. */
export function alteredInside(token: string): string {
  return alterAt(token, token.length - Math.min(20, Math.ceil(token.length / 2)));
}

/** Tokens that nobody issued: garbage and, where the right one is a JWT, that with another payload or signature, and unsigned. */
export function forgedFrom(token: string): Readonly<Record<string, string>> {
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

/** Steps that hold in every area whose user the profile states with name and personal access token; all of them at once. */
export function withPat(run: (context: CaseContext, area: FileArea) => Promise<void>): ServiceCase {
  return scenario(async (context) => {
    const { files, given, profile } = context;
    const areas = files.areas.filter((area) => {
      const { username, pat } = profile.all.identities[area.as] ?? {};
      return username !== undefined && pat !== undefined;
    });
    if (areas.length === 0)
      given.inconclusive('No user of a file area has a user name and a personal access token in the profile.');
    await inEvery(context, areas, (area) => run(context, area));
  });
}

/** Basic with the user name of whoever uses the area and a personal access token that differs in one character. */
export function withAlteredPat({ files, profile }: CaseContext, area: FileArea): Changes {
  const { pat = '' } = profile.all.identities[area.as] ?? {};
  return files.basic(area.as, alterAt(pat, Math.floor(pat.length / 2)));
}

/** Basic with any user name and secret. */
export function basicOf(user: string, secret: string): Changes {
  return { as: null, headers: { Authorization: basicAuthorization(user, secret) } };
}

/** A whole file in one chunk. */
function oneChunk({ given, files }: CaseContext, area: FileArea, path: string, changes?: Changes): Promise<Reply> {
  const file = given.bytes(100);
  return files.chunk(area, { path, file, chunkSize: file.byteLength, number: 1 }, changes);
}

/** One request to each route that a file has; the last one deletes the file. */
async function fourRoutes(
  context: CaseContext,
  { area, path }: GivenFile,
  changes: Changes,
): Promise<readonly Reply[]> {
  const { given, files } = context;
  return [
    await files.upload(area, given.filePath(), given.bytes(100), changes),
    await oneChunk(context, area, given.filePath(), changes),
    await files.download(area, path, changes),
    await files.remove(area, path, changes),
  ];
}

/** Every route answers 403 to that identity, and the file stays. */
async function isForbidden(context: CaseContext, file: GivenFile, sender: FileArea['as']): Promise<void> {
  for (const reply of await fourRoutes(context, file, { as: sender })) context.expect(reply).toAnswer(403);
  await readsBack(context, file.area, file.path, file.bytes);
}

/** The steps, then random histories of every area. */
function alsoAtRandom(run: (context: CaseContext) => Promise<void>): ServiceCase {
  return {
    kind: 'model',
    run: async (context, generation) => {
      await run(context);
      await mixed.run(context, generation);
    },
  };
}

/** Under one path each area keeps bytes of its own, and loses them only by its own deletion. */
async function holdOwnFiles(context: CaseContext, areas: readonly FileArea[]): Promise<void> {
  const { given, files, expect } = context;
  const path = given.filePath();
  const held = areas.map((area, index) => ({ area, bytes: given.bytes(100 + index) }));
  for (const { area, bytes } of held) await storesAndReadsBack(context, area, path, bytes);
  for (const [index, { area }] of held.entries()) {
    expect(await files.remove(area, path)).toSucceed();
    await expectNothingAt(context, area, path);
    for (const other of held.slice(index + 1)) await readsBack(context, other.area, path, other.bytes);
  }
}

/** Whether that identity may use the area at all, which nothing says. */
async function mayUse({ given, files }: CaseContext, area: FileArea): Promise<boolean> {
  const { status } = await files.upload(area, given.filePath(), given.bytes(20));
  return isSuccess(status);
}

/** The user area of the space whose space area that is. */
function userAreaBeside(area: FileArea): FileArea {
  return { ...area, name: 'user', path: area.path.replace(/\/fs\/file$/, '/user/fs/file') };
}
