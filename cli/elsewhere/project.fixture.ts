import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serving, type Serving } from './serving.fixture.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** The service under test. */
export function startService(...argv: readonly string[]): Promise<Serving> {
  return serving(process.execPath, [main, 'serve', '--log', 'silent', ...argv]);
}

/** A project as the examples expect one: a profile that names the address by a variable, and a program that prints it. */
export async function makeProject(folder: string, { announcement }: Serving): Promise<void> {
  await mkdir(folder, { recursive: true });
  const profile = await readFile(announcement.profile, 'utf8');
  await writeFile(join(folder, 'conformance.yaml'), profile.replaceAll(announcement.url, '${SERVICE_URL}'));
  await writeFile(join(folder, 'start-service'), `#!/bin/sh\necho '${announcement.url}'\n`);
  await chmod(join(folder, 'start-service'), 0o755);
}
