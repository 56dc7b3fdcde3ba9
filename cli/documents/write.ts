import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { pages } from './pages.ts';

// Writes the documents that are made from schema, rows and commands; the page of an area that is gone goes with it.
const root = new URL('../../', import.meta.url);
const texts = pages.map(({ path, text }) => [path, text()] as const);
rmSync(new URL('docs/rules', root), { recursive: true, force: true });
mkdirSync(new URL('docs/rules', root));
for (const [path, text] of texts) writeFileSync(new URL(path, root), text);
