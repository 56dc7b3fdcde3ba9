import type { Profile } from '../../contract/profile.ts';
import { dataOf, isObject, linksOf } from '../answer.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import type { Thing } from '../given.ts';
import { PreconditionFailed } from '../violation.ts';
import { ledBy, type Way } from './links.ts';

type Level = Pick<NonNullable<Profile['maturity']>, 'processId' | 'levelId'>;

const mostStates = 10;

/**
 * Promotes an object as often as a link leads on, and demotes it again where links lead back: what has reached the end may be frozen.
 * Undefined where its states cannot be told, or do not end.
 */
export async function statesOf(
  context: CaseContext,
  thing: Thing,
  level: Level,
): Promise<readonly string[] | undefined> {
  try {
    const states = await climbed(context, thing, level);
    for (let step = 0; step < mostStates; step += 1)
      if (!(await moved(context, await context.given.current(thing), level, 'demote'))) break;
    return states;
  } catch (error) {
    if (error instanceof PreconditionFailed) return undefined;
    throw error;
  }
}

async function climbed(context: CaseContext, thing: Thing, level: Level): Promise<readonly string[] | undefined> {
  const states: string[] = [];
  for (let current = thing; states.length < mostStates; current = await context.given.current(current)) {
    const read = await context.service.readLong(current);
    const state = stateIn(read, level.levelId);
    if (state === undefined || states.includes(state)) return undefined;
    states.push(state);
    if (linkIn(read, level, 'promote') === undefined) return states.length > 1 ? states : undefined;
    if (!(await moved(context, current, level, 'promote'))) return undefined;
  }
  return undefined;
}

/** Whether there is a link that way, and it does its part. */
async function moved({ service }: CaseContext, thing: Thing, level: Level, way: Way): Promise<boolean> {
  const read = await service.readLong(thing);
  const href = linkIn(read, level, way);
  if (href === undefined) return false;
  const url = new URL(href, read.url).href;
  const reply = await service.send({ ...service.requests.get(url), method: 'PUT', version: thing.version });
  return reply.status < 300;
}

function linkIn(read: Reply, { processId, levelId }: Level, way: Way): string | undefined {
  const hrefs = linksOf(read).map((link) => String(link['href']));
  return hrefs.find((href) => {
    const found = ledBy(href, way);
    return found?.processId === processId && found.levelId === levelId;
  });
}

/** Where the current-state field of the level says it. Source: core, Maturity 4 */
function stateIn(read: Reply, levelId: string): string | undefined {
  const field = Object.values(dataOf(read)).find((value) => isObject(value) && value['id'] === levelId);
  const state = isObject(field) ? field['state'] : undefined;
  return typeof state === 'string' ? state : undefined;
}
