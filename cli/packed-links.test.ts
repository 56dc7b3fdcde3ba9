import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Whoever has the package only reads the same pages: no link of them may lead out of it, as there is no address of a repository to lead to. */
const root = fileURLToPath(new URL('..', import.meta.url));
const words = ['pack', '--dry-run', '--ignore-scripts', '--json'];
const told = execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const [pack] = JSON.parse(told.slice(told.indexOf('['))) as readonly {
  readonly files: readonly { readonly path: string }[];
}[];
const packed = new Set(pack?.files.map(({ path }) => path));
const pages = [...packed].filter((path) => path.endsWith('.md'));

interface Link {
  readonly path: string;
  readonly anchor: string;
}

/** What stands in fences and in the type of code is no link. */
function linksOf(page: string, text: string): readonly Link[] {
  const shown = text.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const targets = [...shown.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, link, source]) => link ?? source ?? '',
  );
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#');
      return { path: file === '' ? page : posix.join(posix.dirname(page), file), anchor };
    });
}

/** As the heading is known to those who follow links, or as it says itself. */
function anchorsIn(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
}

describe('links of a page that is packed lead to what is packed', () => {
  test.each(pages)('%s', async (page) => {
    const links = linksOf(page, await readFile(join(root, page), 'utf8'));
    const missing = links.filter(({ path }) => !packed.has(path));
    expect(missing).toEqual([]);
    for (const { path, anchor } of links)
      if (anchor !== '') expect(anchorsIn(await readFile(join(root, path), 'utf8')), path).toContain(anchor);
  });

  test('README has some', async () => {
    expect(linksOf('README.md', await readFile(join(root, 'README.md'), 'utf8')).length).toBeGreaterThan(9);
  });
});
