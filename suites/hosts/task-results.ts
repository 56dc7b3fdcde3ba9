import { isSuccess } from '../../judge/exchange.ts';
import { type Arrival, chunkOf } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { Held } from '../../judge/host/installation.ts';
import { inputOf } from '../../judge/host/payloads.ts';
import { checksumOf } from '../../judge/service/signature.ts';
import {
  beginTask,
  type Begun,
  callTask,
  directoryOf,
  endMsOf,
  endOf,
  nameWith,
  outputOf,
  pathOf,
  statusOf,
  uploadsOf,
} from './task-work.ts';

/** How many tasks of each input there are, one after the other and then at once. */
const inTurn = 2;
const atOnce = 3;

/** How many there are of one input in a row, where the first ones differ. */
const inRow = 3;

/** Tasks that take longer are not made for this alone, in ms. */
const shortMs = 2000;

/** No other case doubles the input of the sample. */
const doubling = 'tasks.host.uploads-well-formed';

/** What a task of one of the inputs came to. */
interface Result {
  readonly input: number;
  /** Of what it holds beside what names its task. */
  readonly checksum: string;
  readonly upload: Arrival;
  /** The bytes, each as a sign. */
  readonly text: string;
  /** Id of the job. */
  readonly job: string;
}

/**
 * Asserts that no task has the result of another input. What a result holds is not said: they are compared where each input has the same one most
 * of the time, and another than that of the other. Source: extensions, External task links, row inputFile; Callbacks, closing sentence
 */
export async function expectOwnResults(context: HostContext): Promise<void> {
  const { samples, host, clock, expect, notes } = context;
  const sample = samples.task('success');
  const once = inputOf(sample);
  // what a sample says twice is no input that the host has to understand
  const inputs = [once, Buffer.concat([once, once])];
  const results: Result[] = [];
  const ends: { readonly input: number; readonly final: Arrival }[] = [];
  const begin = (input: number, prepare?: Parameters<typeof beginTask>[2]): Promise<Begun> =>
    beginTask(context, { sample, input: inputs[input] ?? once }, prepare);
  const end = async (input: number, task: Begun): Promise<void> => {
    const final = await endOf(context, task, endMsOf(context));
    if (final === undefined || statusOf(final) !== 'Completed') return;
    ends.push({ input, final });
    const result = resultOf(task, final);
    if (result === undefined) return;
    results.push({ ...result, input });
    expectOwnNamed(context, results);
  };
  const startedAt = clock.now();
  for (let round = 1; round <= inTurn; round += 1) {
    // hosts that take turns at something do not take them by the input
    for (const input of round % 2 === 0 ? [...inputs.keys()].toReversed() : inputs.keys())
      await end(input, await begin(input));
    expectNamedAlike(context, ends);
    const isSlow = clock.now() - startedAt > inputs.length * round * shortMs;
    if (ends.length < inputs.length * round || isSlow || host.hurriedBack() > 0) return;
  }
  if (results.length < ends.length) return;
  const ofInput = (input: number): readonly Result[] => results.filter((result) => result.input === input);
  const rows = new Map<number, readonly Result[]>();
  for (const input of inputs.keys()) {
    if (areAlike(ofInput(input))) continue;
    // what gets something of the one before it gets the same in a row, but for the first
    for (let count = 1; count <= inRow; count += 1) await end(input, await begin(input));
    rows.set(input, ofInput(input).slice(1 - inRow));
  }
  const holds: Held[] = [];
  const beside: (readonly [number, Begun])[] = [];
  for (let round = 1; round <= atOnce; round += 1)
    for (const input of inputs.keys())
      beside.push([input, await begin(input, (place) => void holds.push(place.hold('download')))]);
  for (const held of holds) held.release();
  for (const [input, task] of beside) await end(input, task);
  await expectOwnSentAgain(begin, end);
  const [usual, other] = [...inputs.keys()].map((input) => usualOf(ofInput(input), rows.get(input) ?? []));
  const isCompared = usual !== undefined && other !== undefined && usual !== other;
  notes.observe('results of one input are alike', isCompared);
  if (!isCompared) return expectOwnOfName(context, inputs);
  const first = await begin(0);
  await end(0, first);
  const { installation } = first;
  for (const input of [1, 0]) {
    const task = await callTask(context, { sample, input: inputs[input] ?? once }, undefined, installation);
    const final = await installation.arrivedInTurn({ kind: 'status', of: task.call }, endMsOf(context));
    const result = final && resultOf(task, final, installation.arrivals({ kind: ['upload', 'chunk'], of: task.call }));
    if (result !== undefined) results.push({ ...result, input });
  }
  const empty = await resultOfNothing(context);
  const ofNothing = empty === usual || empty === other ? undefined : empty;
  for (const { input, checksum, upload } of results)
    expect(
      checksum === [other, usual][input] || checksum === ofNothing ? 'that of another input' : 'its own',
      `the result that ${upload.method} ${upload.path} uploads, of tasks of two inputs`,
      upload.seen,
    ).toEqual('its own');
}

/** Where the end of a task names a result, that of a later one with the same input does so too. Source: extensions, States and transitions */
function expectNamedAlike(
  { expect }: HostContext,
  ends: readonly { readonly input: number; readonly final: Arrival }[],
): void {
  for (const { input, final } of ends)
    if (ends.some((before) => before.input === input && outputOf(before.final) !== undefined))
      expect(
        outputOf(final) === undefined ? 'none' : 'one',
        `the result that ${final.method} ${final.path} names, of tasks of one input`,
        final.seen,
      ).toEqual('one');
}

/**
 * A result that names a task of another input, and not its own, is of that one: each has a space of its own, and what a host knows of another it tells
 * nobody here. Source: extensions, External task links, row inputFile
 */
function expectOwnNamed({ everyRequest, expect }: HostContext, results: readonly Result[]): void {
  const before = everyRequest.taken.filter(({ cameFor }) => cameFor !== doubling).map(({ call }) => call.envelope.id);
  for (const { upload, text, input, job } of results.filter((result) => !isNamed(result.job, result.text))) {
    const beside = results.filter((other) => other.input !== input).map((other) => other.job);
    const others = input === 0 ? beside : [...beside, ...before];
    expect(
      others.find((other) => isNamed(other, text)) ?? job,
      `the task that is named in the result that ${upload.method} ${upload.path} uploads`,
      upload.seen,
    ).toEqual(job);
  }
}

/** By its id, or by the directory of its input. */
function isNamed(job: string, text: string): boolean {
  return text.includes(job) || text.includes(`jobs/${job.slice(0, 8)}/`);
}

/** Tasks at once, of which the first upload is answered with a status that passes. Whether a host sends it again is not said. */
async function expectOwnSentAgain(
  begin: (input: number, prepare: NonNullable<Parameters<typeof beginTask>[2]>) => Promise<Begun>,
  end: (input: number, task: Begun) => Promise<void>,
): Promise<void> {
  const holds: Held[] = [];
  const tasks: (readonly [number, Begun])[] = [];
  for (const input of [0, 1, 0, 1]) {
    let came = 0;
    const task = await begin(input, (place) => {
      holds.push(place.hold('download'));
      for (const kind of ['upload', 'chunk'] as const) place.refuse(kind, 503, () => (came += 1) === 1);
    });
    tasks.push([input, task]);
  }
  for (const held of holds) held.release();
  for (const [input, task] of tasks) await end(input, task);
}

/**
 * What a host keeps by the name of a file is that of another input where the name comes again. Compared where inputs whose names are new have each
 * the same result, and another than that of the other. Source: extensions, External task links, row inputFile
 */
async function expectOwnOfName(context: HostContext, inputs: readonly Uint8Array[]): Promise<void> {
  const { samples, given, expect } = context;
  const sample = samples.task('success');
  const resultFor = async (name: string, input: number): Promise<Omit<Result, 'input'> | undefined> => {
    const named = { ...sample, inputName: nameWith(sample.inputName, name) };
    const task = await beginTask(context, { sample: named, input: inputs[input] ?? inputOf(sample) });
    const final = await endOf(context, task, endMsOf(context));
    return final && statusOf(final) === 'Completed' ? resultOf(task, final) : undefined;
  };
  const [name = '', ...others] = ['first', 'second', 'third'].map((place) => given.unique(place));
  const usual = await resultFor(name, 0);
  const alike = usual && (await resultFor(others[0] ?? '', 0));
  if (usual === undefined || usual.checksum !== alike?.checksum) return;
  const other = await resultFor(others[1] ?? '', 1);
  if (other === undefined || other.checksum === usual.checksum) return;
  const again = await resultFor(name, 1);
  if (again === undefined) return;
  const { method, path, seen } = again.upload;
  expect(
    again.checksum === usual.checksum ? 'that of the former' : 'its own',
    `the result that ${method} ${path} uploads, of an input with the name of a former one`,
    seen,
  ).toEqual('its own');
}

/**
 * What those have that were made one after the other, where nothing of another is at hand, first or in a row; else what more than half of all have.
 * @param row the last of those that were made in a row
 */
function usualOf(results: readonly Result[], row: readonly Result[]): string | undefined {
  const [alike] = [results.slice(0, inTurn), row].filter((some) => some.length > 0 && areAlike(some));
  if (alike !== undefined) return alike[0]?.checksum;
  const byChecksum = Map.groupBy(results, ({ checksum }) => checksum);
  return [...byChecksum.values()].find((some) => some.length > results.length / 2)?.[0]?.checksum;
}

function areAlike([first, ...others]: readonly Result[]): boolean {
  return others.every(({ checksum }) => checksum === first?.checksum);
}

/** What a task of an empty input has, which a host need not take. */
async function resultOfNothing(context: HostContext): Promise<string | undefined> {
  const task = await callTask(context, { sample: context.samples.task('success'), input: new Uint8Array() });
  if (!isSuccess(task.reply.status)) return undefined;
  const final = await endOf(context, task, endMsOf(context));
  return final && statusOf(final) === 'Completed' ? resultOf(task, final)?.checksum : undefined;
}

/** The file that the report names as the output, else the only one, as it was taken. */
function resultOf(
  task: Begun,
  final: Arrival,
  sent: readonly Arrival[] = uploadsOf(task),
): Omit<Result, 'input'> | undefined {
  const files = [
    ...Map.groupBy(
      sent.filter(({ seen }) => isSuccess(seen.status)),
      pathOf,
    ),
  ];
  const told = outputOf(final);
  const named = files.find(([path]) => told !== undefined && `/${told}`.endsWith(`/${path}`));
  const [, uploads = []] = named ?? (files.length === 1 ? files : [])[0] ?? [];
  const [upload] = uploads;
  if (upload === undefined) return undefined;
  const parts = uploads.map((part) => chunkOf(part) ?? { number: 1, bytes: part.bytes });
  const bytes = parts.toSorted((one, other) => one.number - other.number).map((part) => part.bytes);
  const all = Buffer.concat(bytes);
  const text = all.toString('latin1');
  return { checksum: checksumOf(Buffer.from(withoutNames(text, task), 'latin1')), upload, text, job: task.task.jobId };
}

/** What a result holds beside what is another in each task whatever its input is: what names it, and times. */
function withoutNames(text: string, { task, installation, call }: Begun): string {
  const names = [call.envelope.accessToken, task.jobId, task.inputPath, directoryOf(task), installation.spaceId];
  const unnamed = names.filter((name) => name !== '').reduce((left, name) => left.replaceAll(name, ''), text);
  return unnamed.replaceAll(/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?/g, '');
}
