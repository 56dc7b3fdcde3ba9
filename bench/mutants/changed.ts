import { execFileSync } from 'node:child_process';
import { root } from './instrument.ts';

/**
 * Files that differ from where this branch left main, as they are in the folder now; on a main that nobody has touched, those of its last
 * commit. @throws {Error} no git, or no main
 */
export function changedFiles(): ReadonlySet<string> {
  const base = mainNames.map(mergeBase).find((found) => found !== undefined);
  if (base === undefined) throw new Error(`--changed needs a clone that knows ${mainNames.join(' or ')}.`);
  const changed = differingFrom(base);
  if (changed.size > 0 || base !== commitAt('HEAD')) return changed;
  const before = commitAt('HEAD^');
  return before === undefined ? changed : differingFrom(before);
}

function differingFrom(base: string): ReadonlySet<string> {
  const names = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')];
  return new Set(names.flatMap((text) => text.split('\n')).filter((name) => name !== ''));
}

const mainNames = ['origin/main', 'main'];

function mergeBase(name: string): string | undefined {
  return said('merge-base', name, 'HEAD');
}

/** Undefined where the clone does not go back as far. */
function commitAt(name: string): string | undefined {
  return said('rev-parse', '--verify', name);
}

function said(...words: readonly string[]): string | undefined {
  try {
    return git(...words).trim();
  } catch {
    return undefined;
  }
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
