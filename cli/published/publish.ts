import { writeFile } from 'node:fs/promises';
import { seenTexts } from './conducts.ts';
import { conductsFile } from '../conducts.ts';
import { join } from 'node:path';
import { publishedFolder, publishedTexts } from './texts.ts';

// Writes the current result and the fingerprint of the reference server, and what each case does; the kill matrix is written by faults --publish.
for (const [name, text] of Object.entries(await publishedTexts())) await writeFile(join(publishedFolder, name), text);
const { conducts, reach } = await seenTexts();
await writeFile(conductsFile, conducts);
await writeFile(join(publishedFolder, 'reach.json'), reach);
