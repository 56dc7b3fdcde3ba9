import type { Answer } from '../reference-server/http/call.ts';
import { Refusal } from '../reference-server/http/refusal.ts';
import type { Route } from '../reference-server/http/route.ts';
import { breaks, type Variant } from './breaks.ts';

type IsOf = (route: Pick<Route, 'method' | 'path'>) => boolean;

/** A cache of answers, refusals with 404 included, which everything empties that is written but by the routes that are left out. */
export function keepsAnswers(isKept: IsOf, isLeftOut: IsOf): Variant {
  return breaks('dispatcher', 'carryOut', (right) => {
    const kept = new Map<string, Answer | Refusal>();
    const answerOrRefusal = async (...asked: Parameters<typeof right>): Promise<Answer | Refusal> => {
      try {
        return await right(...asked);
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) return error;
        throw error;
      }
    };
    return async (areas, route, call) => {
      if (!isKept(route)) {
        const answer = await right(areas, route, call);
        if (route.method !== 'GET' && !isLeftOut(route)) kept.clear();
        return answer;
      }
      const { authorization, 'svc-informationfilter': filter, 'if-none-match': tag } = call.headers;
      const key = JSON.stringify([authorization, filter, tag, call.url]);
      const answer = kept.get(key) ?? (await answerOrRefusal(areas, route, call));
      // a stream is read once
      if (answer instanceof Refusal || answer.stream === undefined) kept.set(key, answer);
      if (answer instanceof Refusal) throw answer;
      return answer;
    };
  });
}
