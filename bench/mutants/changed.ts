import { execFileSync } from 'node:child_process';
import { root } from './instrument.ts';

/** Files that differ from where this branch left main, as they are in the folder now. @throws {Error} no git, or no main */
export function changedFiles(): ReadonlySet<string> {
  const base = mainNames.map(mergeBase).find((found) => found !== undefined);
  if (base === undefined) throw new Error(`--changed needs a clone that knows ${mainNames.join(' or ')}.`);
  const names = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')];
  return new Set(names.flatMap((text) => text.split('\n')).filter((name) => name !== ''));
}

const mainNames = ['origin/main', 'main'];

function mergeBase(name: string): string | undefined {
  try {
    return git('merge-base', name, 'HEAD').trim();
  } catch {
    return undefined;
  }
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
