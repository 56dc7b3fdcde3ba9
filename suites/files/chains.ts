import type { CaseContext } from '../../judge/case.ts';
import type { FileArea } from '../../judge/files/files.ts';

/** How a path of the kind `../../space/main` is written into a URL. */
export type Spelling = (chain: string) => string;

/** Ways to write separators and dots that a check before decoding does not see. */
export const encodings: Readonly<Record<string, Spelling>> = {
  'encoded slashes': (chain) => chain.replaceAll('/', '%2F'),
  'encoded backslashes': (chain) => chain.replaceAll('/', '%5C'),
  'encoded dots': (chain) => chain.replaceAll('..', '%2e%2e'),
  'encoded dots and slashes': (chain) => chain.replaceAll('..', '%2E%2E').replaceAll('/', '%2f'),
  'dots and slashes encoded twice': (chain) => chain.replaceAll('..', '%252e%252e').replaceAll('/', '%252f'),
};

/** Files that a system has, by a text that only they hold. */
export const systemFiles: readonly { readonly path: string; readonly holds: string }[] = [
  { path: 'etc/passwd', holds: 'root:' },
  { path: 'windows/win.ini', holds: '[fonts]' },
];

const most = 3;

/** More steps up than any folder is deep. */
export const toTheTop = '../'.repeat(16);

/** Chains that could lead from the folder of any area to that of this one, for some ways to lay them out; each ends in a slash. */
export function chainsTo(context: CaseContext, area: FileArea): readonly string[] {
  const depths = Array.from({ length: most }, (_, index) => '../'.repeat(index + 1));
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
