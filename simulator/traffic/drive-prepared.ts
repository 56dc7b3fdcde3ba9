import { envOf, type Send } from './drive.ts';
import type { EngineSetup } from './engine.ts';
import type { GroundObject } from './ground.ts';
import { prepared } from './prepare.ts';
import type { HttpStep, Result } from './step.ts';

/** The load cannot begin: what the service answered, or why it did not. */
export class PreparationFailed extends Error {
  override readonly name = 'PreparationFailed';
}

/** Objects are made by so many at once. Their numbers as users are below 0, so that no journey writes their texts. */
const makers = 4;
const mostAttempts = 4;
const shownBytes = 300;

/** @throws {PreparationFailed} */
export async function drivePrepared(setup: EngineSetup, send: Send, count: number): Promise<readonly GroundObject[]> {
  const shares = Array.from({ length: makers }, (_, maker) => Math.floor((count + maker) / makers));
  const made = await Promise.all(shares.map((share, maker) => driveOne(setup, send, -1 - maker, share)));
  return made.flat();
}

/** A kept connection may end at any time: what got no answer is sent again. */
async function answered(send: Send, step: HttpStep): ReturnType<Send> {
  for (let attempt = 1; attempt < mostAttempts; attempt += 1) {
    const exchange = await send(step);
    if (exchange.error === undefined || exchange.error === 'ECONNREFUSED') return exchange;
  }
  return send(step);
}

async function driveOne(setup: EngineSetup, send: Send, user: number, count: number): Promise<readonly GroundObject[]> {
  const generator = prepared(envOf(setup, user, 0), count);
  let lost: string | undefined;
  let next = generator.next();
  while (next.done !== true) {
    let result: Result = { status: 0, headers: {}, body: '' };
    if (next.value.kind === 'http') {
      const exchange = await answered(send, next.value);
      ({ result } = exchange);
      lost = exchange.error;
    }
    next = generator.next(result);
  }
  const { objects, refused } = next.value;
  if (refused === undefined) return objects;
  const found = lost === undefined ? `${refused.status} ${refused.body.slice(0, shownBytes)}` : `no answer (${lost})`;
  throw new PreparationFailed(`The objects that the journeys work on could not be made: expected 201 with Location and version, found ${found}.`);
}
