import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Leaves in dist the types that the entry points of the library lead to: `npm run build` calls it.
const dist = fileURLToPath(new URL('../../dist', import.meta.url));

// the ids of rules by name, so that editors know them without the types of all that makes a rule
const rules = JSON.parse(readFileSync(join(dist, '../api/rules.json'), 'utf8')) as readonly { readonly id: string }[];
const ids = rules.map(({ id }) => `'${id}'`).join(' | ');
writeFileSync(
  join(dist, 'api/rule-ids.d.ts'),
  `/** Id of a rule of this version. */\nexport type KnownRuleId = ${ids};\n`,
);

const kept = new Set<string>();
const open = ['index', 'fetch', 'nock', 'vitest', 'journeys'].map((name) => join(dist, 'api', `${name}.d.ts`));
for (let file = open.pop(); file !== undefined; file = open.pop()) {
  if (kept.has(file) || !existsSync(file)) continue;
  kept.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g))
    open.push(join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')));
}
const all = globSync('**/*.d.ts', { cwd: dist });
for (const file of all) if (!kept.has(join(dist, file))) rmSync(join(dist, file));
