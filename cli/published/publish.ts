import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publishedFolder, publishedTexts } from './texts.ts';

// Writes the current result and the fingerprint of the reference server; the kill matrix is written by faults --publish.
for (const [name, text] of Object.entries(await publishedTexts())) await writeFile(join(publishedFolder, name), text);
