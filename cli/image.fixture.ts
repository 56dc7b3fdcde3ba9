import { existsSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';

const root = fileURLToPath(new URL('..', import.meta.url));

export const dockerfiles = ['Dockerfile', 'reference-server/Dockerfile'] as const;

interface Stage {
  readonly name: string;
  readonly instructions: Instruction[];
}

export async function readStages(dockerfile: string): Promise<readonly Stage[]> {
  const parsed = DockerfileParser.parse(await readFile(join(root, dockerfile), 'utf8'));
  const stages = parsed.getFROMs().map((from): Stage => ({ name: from.getBuildStage() ?? 'last', instructions: [] }));
  let index = -1;
  for (const instruction of parsed.getInstructions())
    if (instruction.getKeyword() === 'FROM') index += 1;
    else stages[index]?.instructions.push(instruction);
  return stages;
}

/** Copies what Docker would send into a folder. */
export async function copyContext(folder: string): Promise<void> {
  const ignored = await readFile(join(root, '.dockerignore'), 'utf8');
  const admitted = [...ignored.matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
  for (const path of admitted.filter((each) => existsSync(join(root, each))))
    await cp(join(root, path), join(folder, path), { recursive: true });
}
