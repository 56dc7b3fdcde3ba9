import { scenario, type CaseContext, type ServiceCase, type SomeCasesOf } from '../../judge/case.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { expectNothingAt, isSuccess } from '../../judge/files/stored-file.ts';
import { fileHistories } from './history.ts';
import { readsBack, storesAndReadsBack, usedBy, whereServed } from './words.ts';

/** What fails is left to the rules of one area. */
const mixed = fileHistories({
  paths: ['one/a', 'two/a'],
  groups: (declared) => [declared],
  refusals: false,
  steps: 40,
  share: 0.2,
});

export const isolationCases = {
  'files.isolation.between-areas': alsoAtRandom((context) =>
    whereServed(context, context.files.areas, () => holdOwnFiles(context, context.files.areas)),
  ),

  'files.isolation.between-users': scenario(async (context) => {
    const { given, files, expect } = context;
    const first = files.userArea('editor');
    const second = files.userArea('secondEditor');
    const { path, bytes } = await given.file({ area: first });
    await expectNothingAt(context, second, path);
    expect(await files.remove(second, path)).notToSucceed();
    await storesAndReadsBack(context, second, path, given.bytes(90));
    await readsBack(context, first, path, bytes);
  }),

  'files.isolation.between-participants': scenario(async (context) => {
    const { files } = context;
    const [first, second] = [usedBy(files.area('participant'), 'editor'), files.secondParticipant];
    await holdOwnFiles(context, [first, second]);
    const both = [usedBy(first, second.as), second] as const;
    if (await mayUse(context, both[0])) await holdOwnFiles(context, both);
  }),

  'files.isolation.between-spaces': scenario(async (context) => {
    const { files } = context;
    const spaces = [usedBy(files.area('space'), 'editor'), files.secondSpace] as const;
    await holdOwnFiles(context, spaces);
    const userArea = files.areas.find(({ name }) => name === 'user');
    if (userArea !== undefined)
      await whereServed(context, [userArea], () => holdOwnFiles(context, spaces.map(userAreaBeside)));
  }),

  'files.area.model-sequence': fileHistories({
    paths: ['one/a', 'one/b', 'one/c', 'two/a', 'two/b', 'two/c'],
    groups: (declared) => declared.map((area) => [area]),
    refusals: true,
    steps: 40,
    share: 0.6,
  }),
} satisfies SomeCasesOf<'files'>;

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
