import { type Areas, operationRouteOf } from '../areas.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import type { Route } from '../http/route.ts';

/** What the route makes of the call, access decided. @throws {Refusal} */
export async function carryOut(areas: Areas, method: Route['method'], path: string, call: SpaceCall): Promise<Answer> {
  const { dispatcher, store } = areas;
  const route = operationRouteOf(areas, method, path);
  if (route.effect === 'read') return store.read((reading) => dispatcher.carryOutRead(route, call, reading));
  return store.change((writing) => dispatcher.carryOutWrite(route, call, writing));
}
