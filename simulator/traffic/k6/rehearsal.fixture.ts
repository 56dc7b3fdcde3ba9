import { chooser, randomFrom } from '../chance.ts';
import { chunkFrame, contentOf } from '../content.ts';
import type { Ground } from '../ground.ts';
import { type JourneyEnv, journeyNames } from '../journey.ts';
import { journeys } from '../journeys/journeys.ts';
import { prepareObjects, tryBatch } from '../journeys/prepare.ts';
import type { HttpStep, Result, Step } from '../step.ts';

/** A journey against a service that is made up, on whatever engine runs this: every step as JSON. */
export function rehearse(groundText: string, name: string, seed: number, user: number): string {
  const ground = JSON.parse(groundText) as Ground;
  const env: JourneyEnv = { user, iteration: 0, ground, now: () => 0, random: randomFrom(seed, user, 0, 1) };
  const known = journeyNames.find((one) => one === name);
  return JSON.stringify(
    known === undefined
      ? stepsOf(everythingMade(env), randomFrom(seed))
      : stepsOf(journeys[known](env), randomFrom(seed)),
  );
}

function* everythingMade(env: JourneyEnv): Generator<Step, unknown, Result> {
  const { objects } = yield* prepareObjects(env, 7);
  return yield* tryBatch(env, objects[0]);
}

/** Names of the journeys that so many arrivals are, as JSON. */
export function chooseAll(mixText: string, seed: number, arrivals: number): string {
  const choose = chooser(JSON.parse(mixText) as Parameters<typeof chooser>[0], seed);
  return JSON.stringify(Array.from({ length: arrivals }, (_, user) => choose(user, 0)));
}

function stepsOf(generator: Generator<Step, unknown, Result>, random: () => number): readonly unknown[] {
  const steps: unknown[] = [];
  let next = generator.next();
  while (next.done !== true) {
    const step = next.value;
    steps.push(step.kind === 'http' ? { ...step, content: contentIn(step) } : step);
    next = generator.next(
      step.kind === 'http' ? answerTo(step, steps.length, random) : { status: 0, headers: {}, body: '' },
    );
  }
  return steps;
}

function contentIn({ body }: HttpStep): readonly unknown[] {
  if (body === undefined || typeof body === 'string') return [];
  const content = contentOf(body.kind === 'chunk' ? body.content : body);
  return [...(body.kind === 'chunk' ? chunkFrame(body) : []), content.length, content.at(-1)];
}

/** Mostly what a journey hopes for; sometimes a conflict, sometimes nothing of use. */
function answerTo({ method, op, body }: HttpStep, number: number, random: () => number): Result {
  const luck = random();
  if (luck < 0.03) return { status: 500, headers: {}, body: 'not JSON' };
  if (op === 'edit' && luck < 0.4) return { status: 409, headers: {}, body: '{}' };
  const headers = { location: `/api/object%20${number}?x#y`, 'svc-uoiversion': String(number), etag: `"${number}"` };
  if (op === 'batch')
    return {
      status: 200,
      headers,
      body: JSON.stringify(
        (JSON.parse(String(body)) as readonly unknown[]).map(() => ({ body: { href: `/api/object-${number}` } })),
      ),
    };
  const links = [{ rel: 'page', sectionPath: 'data/files', pages: 3 }];
  return {
    status: method === 'POST' ? 201 : 200,
    headers,
    body: JSON.stringify({ version: number, access_token: 'token', data: {}, links }),
  };
}
