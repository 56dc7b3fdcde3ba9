import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A house of forged files, and what the linter finds in it. */
export interface ForgedHouse {
  /** Names of the rules that the file breaks. */
  rulesFoundIn(file: string): string;
  remove(): Promise<void>;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const oxlint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');

/** @param files the first folder of each is a house of its own, under the same rules */
export async function forgedHouse(
  files: readonly { readonly file: string; readonly text: string }[],
): Promise<ForgedHouse> {
  const place = await mkdtemp(join(tmpdir(), 'svc-conformance-journeys-'));
  for (const { file, text } of files) {
    await mkdir(dirname(join(place, file)), { recursive: true });
    await writeFile(join(place, file), text);
  }
  const houses = [...new Set(files.map(({ file }) => file.split('/')[0] ?? ''))];
  for (const house of houses) await symlink(join(root, '.oxlintrc.json'), join(place, house, '.oxlintrc.json'));
  const found = new Map<string, string>();
  for (const house of houses)
    for (const { filename, code } of await diagnosticsIn(join(place, house)))
      found.set(`${house}/${filename}`, `${found.get(`${house}/${filename}`) ?? ''} ${code}`);
  return {
    rulesFoundIn: (file) => found.get(file) ?? 'nothing',
    remove: () => rm(place, { recursive: true, force: true }),
  };
}

interface Diagnostic {
  readonly filename: string;
  readonly code: string;
}

function diagnosticsIn(folder: string): Promise<readonly Diagnostic[]> {
  return new Promise((resolve) => {
    execFile(process.execPath, [oxlint, '--format', 'json'], { cwd: folder, maxBuffer: 1 << 25 }, (_error, stdout) => {
      resolve((JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] }).diagnostics);
    });
  });
}
