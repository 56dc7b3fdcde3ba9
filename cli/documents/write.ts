import { writeFileSync } from 'node:fs';
import { pages } from './pages.ts';

// Writes the documents that are made from schema, rows and commands.
for (const { path, text } of pages) writeFileSync(new URL(`../../${path}`, import.meta.url), text());
