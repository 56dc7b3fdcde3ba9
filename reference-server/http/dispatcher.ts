import { Area } from '../area.ts';
import type { Admission } from '../areas/admission.ts';
import type { Auth } from '../areas/auth.ts';
import type { Messages } from '../areas/messages.ts';
import type { Clock } from '../../clock/clock.ts';
import { type Reading, type Store, StoreFullError, StoreUnavailableError, type Writing } from '../ports/store.ts';
import type { Answer, Call, SpaceCall, UserCall } from './call.ts';
import { Outdated, Refusal, Undone } from './refusal.ts';
import type { AdmittedCall, Found, OuterRoute, Route, SpaceRoute } from './route.ts';

type SpaceRead = Extract<SpaceRoute, { readonly effect: 'read' }>;

type SpaceWrite = Extract<SpaceRoute, { readonly effect: 'write' }>;

/** How often a request is prepared before it is refused. */
const mostPreparations = 10;

interface Needs {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly store: Store;
  readonly auth: Auth;
  readonly messages: Messages;
}

/** Carries requests out: access first, then the work of their route, and every answer and refusal on its way back. */
export class Dispatcher extends Area<Needs> {
  /**
   * Access first, then the route's own work inside a read or a change set. Source: core, Authentication and Errors.
   * @throws {Refusal} 401, 403, 404, or whatever the route refuses with; nothing of a refused change set remains
   */
  async carryOut(route: Route, call: Call): Promise<Answer> {
    if (route.access === 'public') return this.carryOutElsewhere(route, call);
    if (typeof route.access === 'function')
      return this.carryOutElsewhere(route, { ...call, admitted: await route.access(call) });
    const user = await this.needs.auth.authenticate(call);
    this.needs.auth.authorize(user, route.access, call);
    if (!isSpaceRoute(route)) return this.carryOutElsewhere(route, { ...call, user });
    return this.carryOutInSpace(route, { ...call, user, space: this.needs.auth.spaceOf(call) });
  }

  /** The work of a route below no space; access is decided. @throws {Refusal} */
  async carryOutElsewhere(route: OuterRoute, call: Call | UserCall | AdmittedCall): Promise<Answer> {
    const { admission, store } = this.needs;
    const { needs } = route;
    if (route.effect === 'read')
      return store.read(async (reading) => route.handle(await admission.admit(call, reading, needs), reading));
    if (route.effect === 'write')
      return store.change(async (writing) => route.handle(await admission.admit(call, writing, needs), writing));
    // what needs nothing of the store does not wait for it either
    if (Object.keys(needs).length === 0)
      return route.handle({ ...call, object: undefined, place: undefined, json: undefined });
    return route.handle(await store.read((reading) => admission.admit(call, reading, needs)));
  }

  private async carryOutInSpace(route: SpaceRoute, call: SpaceCall): Promise<Answer> {
    if (route.effect === 'outside') return route.handle(await this.admitOutside(route, call));
    if (route.effect === 'read') return this.needs.store.read((reading) => this.carryOutRead(route, call, reading));
    const { before } = route;
    if (before === undefined)
      return changed(this.needs.store.change((writing) => this.carryOutWrite(route, call, writing)));
    return changed(
      prepareAndChange(
        () => before(call),
        (ready) => this.needs.store.change((writing) => this.carryOutWrite(route, ready, writing)),
      ),
    );
  }

  /** What a route needs that only reads, then its work; access is decided. @throws {Refusal} */
  async carryOutRead(route: SpaceRead, call: SpaceCall, reading: Reading): Promise<Answer> {
    return route.handle(await this.needs.admission.admit(call, reading, route.needs), reading);
  }

  /** The same inside a change set, be it that of the request or that of a batch. @throws {Refusal} */
  async carryOutWrite(route: SpaceRead | SpaceWrite, call: SpaceCall, writing: Writing): Promise<Answer> {
    return route.handle(await this.needs.admission.admit(call, writing, route.needs), writing);
  }

  /** What a route needs that calls out is read ahead, and holds for that moment. */
  private admitOutside({ needs }: SpaceRoute, call: SpaceCall): Promise<SpaceCall & Found> {
    return this.needs.store.read((reading) => this.needs.admission.admit(call, reading, needs));
  }

  /** What `work` answers or refuses, finished and logged. Never rejects: whatever goes wrong is an answer too. */
  async answer(call: Call, work: () => Promise<Answer>): Promise<Answer> {
    const startedAt = this.needs.clock.monotonic();
    this.needs.messages.logStart(call);
    const answer = await this.finish(call, work);
    this.needs.messages.logEnd(call, answer, this.needs.clock.monotonic() - startedAt);
    return answer;
  }

  private async finish(call: Call, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await this.needs.messages.finish(call, await work());
    } catch (error) {
      const refusal = this.refusalFor(call, error);
      return this.finishRefusal(call, refusal);
    }
  }

  private async finishRefusal(call: Call, refusal: Refusal): Promise<Answer> {
    const answer = this.needs.messages.problemAnswer(call, refusal);
    try {
      return await this.needs.messages.finish(call, answer);
    } catch (error) {
      this.needs.messages.logFailure(call, error);
      return answer;
    }
  }

  private refusalFor(call: Call, error: unknown): Refusal {
    if (error instanceof Refusal) {
      this.needs.messages.logRefusal(call, error);
      return error;
    }
    this.needs.messages.logFailure(call, error);
    if (error instanceof StoreFullError)
      return new Refusal(
        507,
        'The disk of the server has no room for this, and nothing of it was kept; make room, then send it again.',
      );
    if (error instanceof StoreUnavailableError)
      return new Refusal(
        503,
        'The store cannot be reached at the moment; look what became of the request, then send it again.',
        { headers: { 'Retry-After': '1' } },
      );
    return new Refusal(
      500,
      `The server met a condition that it did not expect; its log has the cause under correlation id ${call.correlationId}.`,
    );
  }
}

function isSpaceRoute(route: Route): route is SpaceRoute {
  return route.access === 'space' || route.access === 'participant';
}

/** What was found out ahead of the change set may not hold any more when it begins: then it is found out anew. */
async function prepareAndChange(
  prepare: () => Promise<SpaceCall>,
  change: (ready: SpaceCall) => Promise<Answer>,
  left = mostPreparations,
): Promise<Answer> {
  const ready = await prepare();
  try {
    return await change(ready);
  } catch (error) {
    const isOutdated = error instanceof Outdated || (error instanceof Undone && error.isOutdated);
    if (!isOutdated || left <= 1) throw error;
    return prepareAndChange(prepare, change, left - 1);
  }
}

/** The answer of a change set, be it kept or undone. */
async function changed(change: Promise<Answer>): Promise<Answer> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof Undone) return error.answer;
    throw error;
  }
}
