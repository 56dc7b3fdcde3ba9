import { statSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DockerfileParser, type Copy, type Healthcheck, type Instruction, type JSONInstruction } from 'dockerfile-ast';
import { plainEnvironment } from './package.fixture.ts';
import { ran } from './shell.fixture.ts';

/** Does what a builder does with the instructions of a Dockerfile, in folders that stand for the file systems of its stages. */
export interface Image {
  /** The folder that stands for `/`. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly volumes: readonly string[];
  readonly stopSignal: string;
}

/** Whom the user of an image is here: nobody in particular where the tests run as root, else who runs them. */
export const standInUser = process.getuid?.() === 0 ? 1000 : undefined;

/** Where images are built; a stage that two files have in common is built once. */
export interface Builder {
  readonly folder: string;
  /** Made by `contextOf`. */
  readonly context: string;
  readonly built: Map<string, Promise<Stage>>;
}

type Stage = { -readonly [Key in keyof Image]: Image[Key] };

/** @throws {Error} a RUN that fails, or an instruction that is not known here */
export async function build(builder: Builder, dockerfile: string): Promise<Image> {
  const stages = new Map<string, Promise<Stage>>();
  for (const { name, instructions } of stagesOf(dockerfile)) {
    const key = instructions.map((instruction) => instruction.toString()).join('\n');
    const known = builder.built.get(key) ?? buildStage(builder, instructions, stages);
    builder.built.set(key, known);
    stages.set(name, known);
  }
  const last = [...stages.values()].at(-1);
  if (last === undefined) throw new Error('expected a stage, found none');
  return last;
}

/** A text of an image in which its paths are those of the stand-in. */
export function placed(text: string, root: string): string {
  return text.replace(/(?<=^|[\s:])\/(?=[a-z])/g, `${root}/`);
}

export function stagesOf(
  dockerfile: string,
): readonly { readonly name: string; readonly instructions: readonly Instruction[] }[] {
  const parsed = DockerfileParser.parse(dockerfile);
  const stages: { name: string; instructions: Instruction[] }[] = [];
  const names = parsed.getFROMs().map((from) => from.getBuildStage() ?? 'last');
  for (const instruction of parsed.getInstructions()) {
    if (instruction.getKeyword() === 'FROM') stages.push({ name: names[stages.length] ?? 'last', instructions: [] });
    else stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}

async function buildStage(
  builder: Builder,
  instructions: readonly Instruction[],
  stages: ReadonlyMap<string, Promise<Stage>>,
): Promise<Stage> {
  const root = await mkdtemp(join(builder.folder, 'stage-'));
  await chmod(root, 0o755);
  const none = { entrypoint: [], command: [], healthcheck: [], volumes: [] };
  const stage: Stage = { ...none, root, env: {}, workdir: '/', user: 'root', stopSignal: 'SIGTERM' };
  for (const instruction of instructions) {
    const act = acts[instruction.getKeyword()];
    if (act === undefined) throw new Error(`nothing here does ${instruction.getKeyword()}`);
    await act(stage, instruction, builder, stages);
  }
  return stage;
}

type Act = (
  stage: Stage,
  instruction: Instruction,
  builder: Builder,
  stages: ReadonlyMap<string, Promise<Stage>>,
) => Promise<void> | void;

const acts: Readonly<Record<string, Act>> = {
  WORKDIR: async (stage, instruction) => {
    stage.workdir = wordsOf(instruction).join('');
    await mkdir(join(stage.root, stage.workdir), { recursive: true });
  },
  ENV: (stage, instruction) => {
    const pairs = wordsOf(instruction).map((word) => word.split('=') as [string, string]);
    stage.env = { ...stage.env, ...Object.fromEntries(pairs) };
  },
  COPY: (stage, instruction, builder, stages) => copy(stage, instruction as Copy, builder, stages),
  RUN: (stage, instruction) => run(stage, instruction.getArgumentsContent() ?? ''),
  USER: (stage, instruction) => void (stage.user = wordsOf(instruction).join('')),
  VOLUME: (stage, instruction) => void (stage.volumes = [...stage.volumes, ...inJson(instruction as JSONInstruction)]),
  STOPSIGNAL: (stage, instruction) => void (stage.stopSignal = wordsOf(instruction).join('')),
  EXPOSE: () => undefined,
  ENTRYPOINT: (stage, instruction) => void (stage.entrypoint = inJson(instruction as JSONInstruction)),
  CMD: (stage, instruction) => void (stage.command = inJson(instruction as JSONInstruction)),
  HEALTHCHECK: (stage, instruction) => void (stage.healthcheck = probeOf(instruction as Healthcheck)),
};

async function copy(
  stage: Stage,
  instruction: Copy,
  builder: Builder,
  stages: ReadonlyMap<string, Promise<Stage>>,
): Promise<void> {
  const words = wordsOf(instruction);
  const from = instruction.getFromFlag()?.getValue();
  const source = from === undefined || from === null ? builder.context : (await stages.get(from))?.root;
  if (source === undefined) throw new Error(`there is no stage ${from}`);
  const to = words.at(-1) ?? '';
  const destination = join(stage.root, resolve(stage.workdir, to));
  for (const word of words.slice(0, -1)) {
    const path = join(source, word);
    const isInside = !statSync(path).isDirectory() && /(?:\/|^\.)$/.test(to);
    await copyTree(path, isInside ? join(destination, basename(path)) : destination);
  }
}

/** The program is many times faster than `fs.cp` with the thousands of files of a stage. @throws {Error} it fails */
async function copyTree(from: string, to: string): Promise<void> {
  const isFolder = statSync(from).isDirectory();
  await mkdir(isFolder ? to : dirname(to), { recursive: true });
  const done = await ran('cp', ['-a', isFolder ? `${from}/.` : from, to], { cwd: dirname(to), env: plainEnvironment });
  if (done.exitCode !== 0) throw new Error(`COPY ${from} ended with ${done.exitCode}: ${done.printed}`);
}

/** The build context of a repository, in a folder of its own: what `.dockerignore` lets through, which here is a list of what it does. */
export async function contextOf(repository: string, place: string): Promise<string> {
  const text = await readFile(join(repository, '.dockerignore'), 'utf8');
  const [all, ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (all !== '*' || lines.some((line) => !/^![\w.-]+$/.test(line)))
    throw new Error('.dockerignore: expected *, then !NAME');
  for (const line of lines) await cp(join(repository, line.slice(1)), join(place, line.slice(1)), { recursive: true });
  return place;
}

async function run({ root, workdir, env }: Stage, script: string): Promise<void> {
  const owner = standInUser ?? process.getuid?.() ?? 0;
  const here = placed(script, root).replaceAll('node:node', `${owner}:${standInUser ?? process.getgid?.() ?? 0}`);
  const done = await ran('sh', ['-c', here], { cwd: join(root, workdir), env: { ...plainEnvironment, ...env } });
  if (done.exitCode !== 0) throw new Error(`RUN ${script} ended with ${done.exitCode}: ${done.printed}`);
}

function wordsOf(instruction: Instruction): readonly string[] {
  return instruction.getArguments().map((argument) => argument.getValue());
}

/** The words of the exec form; none where a shell would read them. */
function inJson(instruction: JSONInstruction): readonly string[] {
  return instruction.getJSONStrings().map((argument) => argument.getJSONValue());
}

function probeOf(healthcheck: Healthcheck): readonly string[] {
  const [, json] =
    /^CMD\s+(\[.*\])$/s.exec(healthcheck.getArgumentsContent()?.replace(/^(?:--\S+\s+)*/, '') ?? '') ?? [];
  return json === undefined ? [] : (JSON.parse(json) as readonly string[]);
}
