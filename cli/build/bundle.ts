import { build, type Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

// Writes what runs into dist: `npm run build` calls it. What a user or a thread names by its path has a file of its own; all that these share
// is in chunks, because to find and read a hundred small files takes a server longer than to start.
const root = fileURLToPath(new URL('../..', import.meta.url));

const entryPoints = [
  ...['index', 'fetch', 'nock', 'vitest', 'journeys', 'rendering'].map((name) => `api/${name}.ts`),
  { in: 'cli/main.ts.js', out: 'cli/main' },
  'cli/kill-matrix/kill.worker.ts',
  'judge/cassette/played-judge.ts',
  'judge/run/cases.worker.ts',
  'judge/run/judge.ts',
  'judge/time/heartbeat.worker.ts',
  'simulator/traffic/workers/load.worker.ts',
  'suites/catalogue.ts',
].map((entry) => (typeof entry === 'string' ? { in: entry, out: entry.replace(/\.ts$/, '') } : entry));

const placeModule = `
  import { findPackageJSON } from 'node:module';
  import { pathToFileURL } from 'node:url';
  const dist = new URL('dist/', pathToFileURL(findPackageJSON(import.meta.url)));
  export const placeOf = (path) => new URL(path, dist).href;
`;

/** But for the package, which is found from anywhere in it. */
const place = /(?<!findPackageJSON\()import\.meta\.url/g;

const emptyMap = JSON.stringify({
  version: 3,
  sources: ['mistakes'],
  sourcesContent: [''],
  names: [],
  mappings: 'AAAA',
});

/** Behind sources that nobody steps through: a thousand mistakes would be a tenth of the package. */
const unmapped = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(emptyMap).toString('base64')}\n`;

/** Lets each source find its neighbours as if it had a file of its own in dist, whichever chunk it is in. */
const places: Plugin = {
  name: 'places',
  setup(bundler) {
    bundler.onResolve({ filter: /^place-in-dist$/ }, ({ path }) => ({ path, namespace: 'place' }));
    bundler.onLoad({ filter: /./, namespace: 'place' }, () => ({ contents: placeModule }));
    bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const own = JSON.stringify(relative(root, path).replace(/\.ts$/, '.js'));
      const placed = source.replaceAll(place, `placeOf(${own})`);
      const importing = placed === source ? '' : `\nimport { placeOf } from 'place-in-dist';\n`;
      const isMapped = !relative(root, path).startsWith(join('variants', 'mistakes'));
      return { contents: placed + importing + (isMapped ? '' : unmapped), loader: 'ts' };
    });
  },
};

const common = {
  absWorkingDir: root,
  outdir: 'dist',
  outbase: '.',
  bundle: true,
  format: 'esm',
  target: 'node24',
  packages: 'external',
} as const;

await build({
  ...common,
  entryPoints,
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  platform: 'node',
  sourcemap: true,
  // what is indented for nobody is a thirtieth of the package; lines stay short enough to be shown with an error
  minifyWhitespace: true,
  lineLimit: 160,
  plugins: [places],
});
// what k6 gets is bundled once more, out of this file, and knows nothing of Node
await build({ ...common, entryPoints: ['simulator/traffic/k6/adaptor.ts'], platform: 'neutral' });
