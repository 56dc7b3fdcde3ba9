import { envOf, type Send } from './drive.ts';
import type { EngineSetup } from './engine.ts';
import type { Ground } from './ground.ts';
import { prepared, sharesOf, triedBatch } from './prepare.ts';
import type { HttpStep, Result, Step } from './step.ts';
import { noAnswer } from './turn.ts';

/** The load cannot begin: what the service answered, or why it did not. */
export class PreparationFailed extends Error {
  override readonly name = 'PreparationFailed';
}

/** What was made and found out before the load. */
export interface Preparation {
  readonly ground: Pick<Ground, 'objects' | 'batchHrefPrefix'>;
  /** Sentences for the report. */
  readonly remarks: readonly string[];
}

const mostAttempts = 4;
const shownBytes = 300;

/** @param count objects that are made. @throws {PreparationFailed} */
export async function drivePrepared(setup: EngineSetup, send: Send, count: number): Promise<Preparation> {
  const made = await Promise.all(sharesOf(count).map((share) => driveOne(setup, send, share)));
  const objects = made.flat();
  const [user] = sharesOf(count);
  const { ended } = await driven(triedBatch(envOf(setup, user?.user ?? 0, 0), objects[0]), send);
  return { ground: { objects, ...ended.ground }, remarks: remarksOn(ended.refused) };
}

/** What is said of a service that takes no batch, whatever form its hrefs have. @param refused statuses, where none passed */
export function remarksOn(refused: readonly number[] | undefined): readonly string[] {
  if (refused === undefined) return [];
  const found = refused.map((status) => (status === 0 ? 'no answer' : status)).join(', ');
  return [
    `No batch passed when each form of href was tried (found ${found}); batch.hrefForm in the profile says which one to send.`,
  ];
}

/** A kept connection may end at any time: what got no answer is sent again. */
async function answered(send: Send, step: HttpStep): ReturnType<Send> {
  for (let attempt = 1; attempt < mostAttempts; attempt += 1) {
    const exchange = await send(step);
    if (exchange.error === undefined || exchange.error === 'ECONNREFUSED') return exchange;
  }
  return send(step);
}

async function driveOne(
  setup: EngineSetup,
  send: Send,
  { user, count }: ReturnType<typeof sharesOf>[number],
): Promise<Ground['objects']> {
  const { ended, lost } = await driven(prepared(envOf(setup, user, 0), count), send);
  const { objects, refused } = ended;
  if (refused === undefined) return objects;
  const found = lost === undefined ? `${refused.status} ${refused.body.slice(0, shownBytes)}` : `no answer (${lost})`;
  throw new PreparationFailed(
    `The objects that the journeys work on could not be made: expected 201 with Location and version, found ${found}.`,
  );
}

/** Sends what it asks for until it ends; `lost` is why the last request got no answer. */
async function driven<T>(
  generator: Generator<Step, T, Result>,
  send: Send,
): Promise<{ readonly ended: T; readonly lost?: string }> {
  let lost: string | undefined;
  let next = generator.next();
  while (next.done !== true) {
    let result = noAnswer;
    if (next.value.kind === 'http') {
      const exchange = await answered(send, next.value);
      ({ result } = exchange);
      lost = exchange.error;
    }
    next = generator.next(result);
  }
  return { ended: next.value, ...(lost !== undefined && { lost }) };
}
