import { foreignName, foreignNames } from '../../fixtures/files.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { FileArea, GivenFile } from '../../judge/files/files.ts';
import { expectNothingAt, expectStored } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import {
  areaByArea,
  everyArea,
  expectReadsBack,
  expectStoredAndReadBack,
  inEvery,
  isStoredUnlessRefused,
  storeFile,
} from './checks/every-area.ts';
import { expectInOneChunk, sampleChunkSize } from './checks/upload-in-chunks.ts';

/** As they stand in a URL. */
const unusualNames: Readonly<Record<string, string>> = {
  'that differs in letter case from another': 'case.txt',
  'with a NUL': 'nul%00.txt',
  'with a control character': 'bell%07.txt',
  'with a line end': 'line%0D%0Aend.txt',
  'reserved by some systems': 'CON',
  'that ends with dots': 'dots...',
  'of 255 bytes': 'l'.repeat(255),
  'of 300 bytes': 'l'.repeat(300),
  'that is no UTF-8': 'latin%E9.txt',
  'with a blank': 'a%20b.txt',
  'with a plus sign': 'a%2Bb.txt',
  'with a percent sign': '100%25.txt',
  'beyond ASCII': '%E8%A8%AD.txt',
};

/** What a URL or a form makes something of, and no file system has to. */
const signs = ['#', '&', ';', '=', ',', '%', '+', ' ', "'", '!', '('];

/** Names that differ in one character, which no file system has a reason to take for the same. */
const namePairs: readonly (readonly [string, string])[] = [
  pairOf((end) => `${'long'.repeat(25)}${end}`),
  ['\u8a2d.txt', '\u8a08.txt'],
  ['\u{1f642}.txt', '\u{1f643}.txt'],
  ['name.txt.gz', 'name.txt'],
  // a blank at the end is none to some systems
  [' name.txt', 'name.txt'],
];

/** Of letters alone, and of members that every object has in some language, or of what stands for nothing. */
const wordsOfLanguages = ['constructor', 'toString', 'valueOf', 'length', 'null', 'undefined', 'true'] as const;

/** Beyond what a column of 255 characters holds, each part shorter than a file system demands. */
const deepPair = pairOf((end) => `${`${'deep'.repeat(25)}/`.repeat(3)}${end}.txt`);

/** The first of each is a pattern to some program, which the second fits; where no file system refuses it, it is an ordinary name. */
const patternPairs: readonly (readonly [string, string])[] = [
  ['star*.txt', 'star-and-more.txt'],
  ['mark?.txt', 'marks.txt'],
  ['set[ab].txt', 'seta.txt'],
  ['choice{a,b}.txt', 'choicea.txt'],
  ['like_.txt', 'likes.txt'],
  ['like%.txt', 'like-that.txt'],
  ['point.txt', 'pointstxt'],
];

/** What some file system or language takes for one name: the second is refused there, or both are kept. */
const alikePairs: readonly (readonly [string, string])[] = [
  ['Alike.txt', 'alike.txt'],
  ['\u00e9.txt', 'e\u0301.txt'],
  ['resume.txt', 'r\u00e9sum\u00e9.txt'],
  ['end.txt', 'end.txt '],
];

function pairOf(name: (end: string) => string): readonly [string, string] {
  return [name('1'), name('2')];
}

/** What a chunk form may say of its target; each part alone and all together. */
type Parts = { readonly path: string; readonly resumableFilename?: string; readonly fileName?: string };

/** How a path of the kind `../../space/main` is written into a URL. */
type Spelling = (chain: string) => string;

/** Ways to write separators and dots that a check before decoding does not see. */
const encodings: Readonly<Record<string, Spelling>> = {
  'encoded slashes': (chain) => chain.replaceAll('/', '%2F'),
  'encoded backslashes': (chain) => chain.replaceAll('/', '%5C'),
  'encoded dots': (chain) => chain.replaceAll('..', '%2e%2e'),
  'encoded dots and slashes': (chain) => chain.replaceAll('..', '%2E%2E').replaceAll('/', '%2f'),
  'dots and slashes encoded twice': (chain) => chain.replaceAll('..', '%252e%252e').replaceAll('/', '%252f'),
};

/** Files that a system has, by a text that only they hold. */
const systemFiles: readonly { readonly path: string; readonly holds: string }[] = [
  { path: 'etc/passwd', holds: 'root:' },
  { path: 'windows/win.ini', holds: '[fonts]' },
];

/** Most steps up from the folder of an area that are tried. */
const deepestArea = 3;

/** More steps up than any folder is deep. */
const toTheTop = '../'.repeat(16);

export const fileNameRules = rules('files', {
  'files.stream.name-with-spaces': {
    level: 'should',
    source: 'extensions: File routes, row 1 (names unrestricted in the document)',
    statement:
      'File and directory names with spaces, sent as %20, work for upload, download and deletion, or are refused; a plus sign in a path is a plus sign, as it is in the text of a chunk form.',
    fault: 'Plus signs in the path are decoded to spaces.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const taken = await namesKept(context, area, ['a b', 'a+b']);
      if (taken.includes('a+b')) await expectPlusKept(context, area, taken.includes('a b'));
      for (const name of taken) await expectInOneChunk(context, area, `${context.given.unique(name)}/${name}.txt`);
    }),
  },
  'files.stream.name-unicode': {
    level: 'should',
    source: 'extensions: File routes, row 1 (names unrestricted in the document)',
    statement:
      'Names outside ASCII (UTF-8, percent-encoded in a path, as they are in a chunk form) round-trip, of files and of directories, where a service takes them.',
    fault: 'Path bytes are decoded as Latin-1 on upload and as UTF-8 on download.',
    needs: ['file-area-any'],
    test: property(
      foreignName,
      (context, name) =>
        inEvery(context, context.files.areas, async (area) => {
          if (await isKeptUnder(context, area, `${context.given.unique('dir')}-${name}/${name}`))
            await expectInOneChunk(context, area, `${context.given.unique('dir')}-${name}/${name}`);
        }),
      { always: foreignNames, share: 0.1 },
    ),
  },
  'files.stream.name-percent-literal': {
    level: 'should',
    source: 'extensions: File routes, row 1',
    statement:
      'Path segments are percent-decoded exactly once: a name that contains a percent sign, hash, ampersand or question mark survives when encoded by the client, or is refused; in the text of a chunk form a percent sign stands for itself.',
    fault: 'Path is decoded twice.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const names = ['100%', 'q#1', 'a&b=c', '%41', 'q?', 'a%20b', 'a b'];
      const taken = await namesKept(context, area, names);
      if (taken.includes('a%20b') && taken.includes('a b')) await expectCodedKept(context, area);
      for (const name of taken.filter((each) => each !== 'q?'))
        await expectInOneChunk(context, area, `${context.given.unique('sign')}/${name}.txt`);
    }),
  },
  'files.stream.names-told-apart': {
    level: 'should',
    source: 'extensions: File routes, row 1 (names unrestricted in the document)',
    statement:
      'Two files whose names differ in a single character, behind a sign that a URL uses, a blank before the first, beyond ASCII or at the end of a long name or path, are two files, and so are those of one name in two folders called like that, and names that differ in letter case, in an accent or in a blank at the end where both are taken; what goes in a chunk is stored under such a name as what goes by stream is; to delete the one leaves the other, also where its name is a pattern that the other fits. Words to which languages give a meaning, such as `constructor` and `null`, are names of files and folders like any others.',
    fault: 'Names count up to their 64th character only.',
    needs: ['file-area-any'],
    after: ['files.stream.checksum-correct-accepted'],
    test: scenario(async (context) => {
      const behind = (sign: string): readonly [string, string] => pairOf((end) => `q${sign}${end}.txt`);
      const areTaken = await areTold(context, behind(signs.join('')));
      // one that a service refuses says nothing of the others
      for (const pair of areTaken ? [] : signs.map(behind)) await areTold(context, pair);
      const signed = `${context.given.unique('signs')}/${behind(signs.join('')).join('/')}`;
      if (areTaken) await expectInOneChunk(context, context.files.any, signed);
      for (const pair of [behind('?'), ...namePairs, ...patternPairs, deepPair]) await areTold(context, pair);
      for (const pair of alikePairs) await expectTwoUnlessRefused(context, pair);
      await expectWordsTaken(context);
      await expectToldFromRoute(context);
    }),
  },
  'files.names.unusual': {
    level: 'observe',
    source: 'extensions: File routes (silent on legal names and letter case)',
    statement:
      'Names that differ only in letter case, names with NUL or control characters, reserved device names, trailing dots, or 300 characters have no documented result.',
    fault: 'Not applicable as a failure; recorded variant: names compared without regard to case.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      const { given, files, notes } = context;
      const area = files.any;
      const directory = given.unique('unusual');
      await storeFile(context, area, `${directory}/Case.txt`, given.bytes(10));
      notes.observe('GET of a name in other letter case', (await files.download(area, `${directory}/case.txt`)).status);
      await files.upload(area, `${directory}/${'é'.normalize('NFC')}.txt`, given.bytes(10));
      notes.observe(
        'GET of a name in another normal form',
        (await files.download(area, `${directory}/${'é'.normalize('NFD')}.txt`)).status,
      );
      await files.upload(area, `${directory}/blank.txt `, given.bytes(10));
      const trimmed = await files.download(area, `${directory}/blank.txt`);
      notes.observe('GET of a name without the blank at its end', trimmed.status, trimmed);
      for (const [what, name] of Object.entries(unusualNames)) {
        const reply = await files.upload(area, `${directory}/${name}`, given.bytes(10), { raw: true });
        notes.observe(`upload of a name ${what}`, reply.status, reply);
        notes.remarkServerError(reply);
      }
      await given.file();
    }),
  },
  'files.safety.dot-dot-segments': {
    level: 'should',
    source: 'extensions: File areas, table (an area is bounded by its base path)',
    statement: 'Paths with `..` or `.` segments never read, write or delete outside the area.',
    fault: 'Dot segments are joined to the folder of the area.',
    needs: ['file-area-any'],
    test: everyArea((context, area) => expectStaysInside(context, area, [(chain) => chain])),
  },
  'files.safety.encoded-separators': {
    level: 'should',
    source: 'extensions: File areas, table',
    statement:
      'Encoded separators and dots (`%2F`, `%5C`, `%2e%2e`, doubly encoded forms) never lead outside the area.',
    fault: 'Segments are checked for `..` before percent-decoding.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      await expectStaysInside(context, area, Object.values(encodings));
      context.notes.observe(`${area.name}: %2F in a segment`, await readingOfEncodedSlash(context, area));
    }),
  },
  'files.safety.chunk-relative-path': {
    level: 'should',
    source: 'extensions: File routes, chunk table row resumableRelativePath',
    statement:
      'A chunk upload whose relative path or file name holds `..` segments, an absolute path, a drive letter or a backslash never writes outside the area.',
    fault: 'resumableRelativePath is joined without the check that the stream route has.',
    needs: ['file-area-any'],
    test: areaByArea(async (context, area) => {
      const { given, notes } = context;
      const name = given.unique('stray');
      const neighbours = await neighboursOf(context, area);
      const own = await given.file({ area });
      const forms = strayParts(context, area, name);
      const replies = await Promise.all(forms.map((parts) => sendStray(context, area, parts)));
      for (const reply of replies) notes.remarkServerError(reply);
      const statuses = new Set(replies.map(({ status }) => status));
      notes.observe(`${area.name}: chunks with stray names`, [...statuses].toSorted().join(', '));
      await expectUntouched(context, neighbours, name);
      await expectReadsBack(context, area, own.path, own.bytes);
    }),
  },
});

/** Which names are legal is not said; those of letters alone, in a folder that has one already, no service has a reason to refuse. */
async function expectWordsTaken(context: CaseContext): Promise<void> {
  const { given, files, expect } = context;
  const [area, directory] = [files.any, given.unique('words')];
  if (!(await isStoredUnlessRefused(context, { area, path: `${directory}/plain`, bytes: given.bytes(40) }))) return;
  for (const word of wordsOfLanguages)
    for (const path of [`${directory}/${word}`, `${directory}/of/${word}/in`]) {
      const bytes = given.bytes(50);
      await expectNothingAt(context, area, path);
      await expectStoredAndReadBack(context, { area, path, bytes });
      const removed = await files.remove(area, path);
      if (removed.missingMethod !== undefined) continue;
      expect(removed).toSucceed();
      await expectNothingAt(context, area, path);
      if (!path.endsWith('/in')) await expectInOneChunk(context, area, path);
    }
}

/** A folder called like the route by which files are uploaded is a folder: what is in it is not what is beside it. */
async function expectToldFromRoute(context: CaseContext): Promise<void> {
  const { given, files, expect } = context;
  const [area, name] = [files.any, given.filePath({ root: true })];
  const beside = await given.file({ area, path: name });
  const inside = { area, path: `stream/${name}`, bytes: given.bytes(70) };
  if (!(await isStoredUnlessRefused(context, inside))) return;
  for (const { path, bytes } of [beside, inside]) await expectReadsBack(context, area, path, bytes);
  const removed = await files.remove(area, inside.path);
  if (removed.missingMethod !== undefined) return;
  expect(removed).toSucceed();
  expect(await files.remove(area, inside.path)).notToSucceed();
  await expectReadsBack(context, area, name, beside.bytes);
}

/** Those of the names under which files and folders are kept: which are legal is not said. Source: ledger file-name-rules */
async function namesKept(context: CaseContext, area: FileArea, names: readonly string[]): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const name of names)
    if (await isKeptUnder(context, area, `${context.given.unique(name)}/${name}.txt`)) taken.push(name);
  return taken;
}

/** The life of a file at that path; false where its name is refused. */
async function isKeptUnder(context: CaseContext, area: FileArea, path: string): Promise<boolean> {
  const { given, files, expect } = context;
  if (!(await isStoredUnlessRefused(context, { area, path, bytes: given.bytes(100) }))) return false;
  expect(await files.remove(area, path)).toSucceed();
  await expectNothingAt(context, area, path);
  return true;
}

/** A plus sign that stands in a URL as it is. */
async function expectPlusKept(context: CaseContext, area: FileArea, isBlankTaken: boolean): Promise<void> {
  const { given, files, expect } = context;
  const directory = given.unique('plus');
  const [plus, blank] = [`${directory}/a+b.txt`, `${directory}/a b.txt`];
  const [bytes, others] = [given.bytes(110), given.bytes(111)];
  expect(await files.upload(area, plus, bytes, { raw: true })).toSucceed();
  if (isBlankTaken) await expectStoredAndReadBack(context, { area, path: blank, bytes: others });
  else await expectNothingAt(context, area, blank);
  await expectReadsBack(context, area, plus, bytes);
  expect(await files.remove(area, plus, { raw: true })).toSucceed();
  await expectNothingAt(context, area, plus);
  if (isBlankTaken) await expectReadsBack(context, area, blank, others);
}

/** What looks like a blank that is encoded is not the blank. */
async function expectCodedKept(context: CaseContext, area: FileArea): Promise<void> {
  const { given, files, expect } = context;
  const directory = given.unique('percent');
  const [coded, blank] = [`${directory}/a%20b.txt`, `${directory}/a b.txt`];
  const [bytes, others] = [given.bytes(101), given.bytes(102)];
  await expectStoredAndReadBack(context, { area, path: coded, bytes });
  await expectStoredAndReadBack(context, { area, path: blank, bytes: others });
  await expectReadsBack(context, area, coded, bytes);
  expect(await files.remove(area, coded)).toSucceed();
  await expectNothingAt(context, area, coded);
  await expectReadsBack(context, area, blank, others);
}

/** Nothing is read, written or deleted outside the area by chains in these spellings. */
async function expectStaysInside(context: CaseContext, area: FileArea, spellings: readonly Spelling[]): Promise<void> {
  const { given } = context;
  const name = given.unique('stray');
  const neighbours = await neighboursOf(context, area);
  for (const spelled of spellings) {
    await Promise.all(
      systemFiles.map(({ path, holds }) =>
        expectNotServed(context, area, spelled(toTheTop + path), Buffer.from(holds)),
      ),
    );
    for (const { area: other, path, bytes } of neighbours)
      await Promise.all(
        chainsTo(context, other).map((chain) =>
          expectLeadsNowhere(context, area, [spelled(chain + path), spelled(chain + name)], bytes),
        ),
      );
  }
  await expectUntouched(context, neighbours, name);
}

/** A file with bytes of its own in the next area, which chains try to reach; none where there is no other. */
async function neighboursOf({ given, files }: CaseContext, area: FileArea): Promise<readonly GivenFile[]> {
  const other = files.areas[(files.areas.indexOf(area) + 1) % files.areas.length];
  if (other === undefined || other === area) return [];
  return [await given.file({ area: other, path: `${given.unique('cage')}/canary.bin`, bytes: given.bytes(200) })];
}

async function expectNotServed(
  { files, expect }: CaseContext,
  area: FileArea,
  path: string,
  content: Uint8Array,
): Promise<void> {
  const reply = await files.download(area, path, { raw: true });
  expect(
    isSuccess(reply.status) && Buffer.from(reply.bytes).includes(Buffer.from(content)),
    `${path} shows what is outside the area`,
    reply,
  ).toEqual(false);
}

/** Chains that could lead from the folder of any area to that of this one, for some ways to lay them out; each ends in a slash. */
function chainsTo(context: CaseContext, area: FileArea): readonly string[] {
  const depths = Array.from({ length: deepestArea }, (_, index) => '../'.repeat(index + 1));
  return depths.flatMap((up) => foldersOf(context, area).map((folder) => `${up}${folder}/`));
}

/** Where a service could keep an area: by the ids in its path, by kind first, or by the last id alone. */
function foldersOf({ profile }: CaseContext, { name, path, as }: FileArea): readonly string[] {
  const ids = path.replace(/^\/api\//, '').replace(/\/fs\/file$/, '');
  if (name === 'collection') return [ids];
  const [, space = '', , participant = ''] = ids.split('/');
  if (name === 'space') return [ids, space];
  const owner = name === 'user' ? (profile.all.identities[as]?.username ?? '') : participant;
  return [`space/${space}/${name}/${owner}`, `${name}/${space}/${owner}`, `${space}/${name}/${owner}`, owner];
}

/** The file of another area by its chain is not served, not deleted; what is written beside it may be refused or kept inside. */
async function expectLeadsNowhere(
  context: CaseContext,
  area: FileArea,
  [known, fresh]: readonly [string, string],
  canary: Uint8Array,
): Promise<void> {
  const { given, files, notes } = context;
  await expectNotServed(context, area, known, canary);
  notes.remarkServerError(await files.upload(area, fresh, given.bytes(40), { raw: true }));
  notes.remarkServerError(await files.remove(area, known, { raw: true }));
}

/** The files are as they were, and none of that name is beside them. */
async function expectUntouched(context: CaseContext, neighbours: readonly GivenFile[], name: string): Promise<void> {
  for (const { area, path, bytes } of neighbours) {
    await expectReadsBack(context, area, path, bytes);
    await expectNothingAt(context, area, name);
  }
}

async function readingOfEncodedSlash({ given, files }: CaseContext, area: FileArea): Promise<string> {
  const directory = given.unique('slash');
  const reply = await files.upload(area, `${directory}%2Fname.bin`, given.bytes(60), { raw: true });
  if (!isSuccess(reply.status)) return `refused with ${reply.status}`;
  return isSuccess((await files.download(area, `${directory}/name.bin`)).status) ? 'a separator' : 'part of the name';
}

function strayParts(context: CaseContext, area: FileArea, name: string): readonly Parts[] {
  const { files, given } = context;
  const other = files.areas[(files.areas.indexOf(area) + 1) % files.areas.length] ?? area;
  const chains = chainsTo(context, other).map((chain) => chain + name);
  const windows = chains.slice(0, 4).map((chain) => chain.replaceAll('/', '\\'));
  const inNames = [...chains.slice(0, 4), `/${name}`].flatMap((stray): Parts[] => [
    { path: given.unique('inside'), resumableFilename: stray },
    { path: given.unique('inside'), fileName: stray },
  ]);
  return [...[...chains, ...windows, `/${name}`, `C:\\${name}`].map((path): Parts => ({ path })), ...inNames];
}

async function sendStray(
  { given, files, service }: CaseContext,
  area: FileArea,
  { path, resumableFilename, fileName }: Parts,
): Promise<Reply> {
  const file = given.bytes(50);
  const parts = resumableFilename === undefined ? {} : { parts: { resumableFilename } };
  const request = files.chunkRequest(area, {
    path,
    file,
    chunkSize: sampleChunkSize,
    number: 1,
    ...parts,
    ...(fileName !== undefined && { fileName }),
  });
  const reply = await service.send(request);
  if (isSuccess(reply.status) || reply.status >= 500) given.bookFile(area, path);
  return reply;
}

/** Files and folders of two names; false where the first of them is refused, which could be taken for no other. */
async function areTold(context: CaseContext, [name, other]: readonly [string, string]): Promise<boolean> {
  const { given, files, expect, notes } = context;
  const [area, directory] = [files.any, given.unique('pair')];
  const [first, ...more] = [
    `${directory}/${name}`,
    `${directory}/${other}`,
    `${directory}-${name}/in`,
    `${directory}-${other}/in`,
  ].map((path) => ({ area, path, bytes: given.bytes(60) }));
  if (first === undefined) return false;
  const reply = await files.upload(area, first.path, first.bytes);
  if (reply.status >= 400 && reply.status < 500) {
    notes.observe(`upload of ${JSON.stringify(name)}`, reply.status, reply);
    return false;
  }
  expect(reply).toSucceed();
  for (const { path, bytes } of more) expect(await files.upload(area, path, bytes)).toSucceed();
  for (const file of [first, ...more]) await expectStored(context, file, 0);
  const removed = await files.remove(area, first.path);
  if (removed.missingMethod !== undefined) return true;
  expect(removed).toSucceed();
  await expectNothingAt(context, area, first.path);
  for (const file of more) await expectStored(context, file, 0);
  return true;
}

/** Where both uploads are taken, neither name existed before, and each leads to what was stored under it. */
async function expectTwoUnlessRefused(context: CaseContext, pair: readonly [string, string]): Promise<void> {
  const { given, files, expect } = context;
  const [area, directory] = [files.any, given.unique('alike')];
  const both = pair.map((name) => ({ area, path: `${directory}/${name}`, bytes: given.bytes(60) }));
  for (const { path, bytes } of both) {
    const reply = await files.upload(area, path, bytes);
    if (reply.status >= 400) return;
    expect(reply).toSucceed();
  }
  for (const file of both) await expectStored(context, file, 0);
}
