import { Readable } from 'node:stream';
import nock from 'nock';
import { fetchService } from './fetch.ts';
import type { Service, ServiceOptions } from './service.ts';

/** Methods by which clients may call; nock wants them one by one. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];

/**
 * Puts the whole service behind an origin, for all clients in this process: `node:http`, the global `fetch`, undici, and what stands on them.
 * What you tell nock about that origin goes first, whenever you tell it: `nock(origin).get(path).replyWithError(…)` breaks the next request, and
 * the one after it reaches the service. `nock.cleanAll()` takes the service away as well, and `reset()` brings it back.
 * @param origin scheme, host and port, as `https://svc.example`
 * @throws {ConfigurationError | OptionError | StoreError} an option or an origin that is not right
 */
export async function nockService(origin: string | URL, options: ServiceOptions = {}): Promise<Service> {
  const service = await fetchService(origin, options);
  const answer = async (request: Request): Promise<nock.ReplyFnResult> => {
    const { status, headers, body } = await service.fetch(request).catch(throwCause);
    return [status, body === null ? '' : Readable.fromWeb(body), [...headers].flat()];
  };
  const { reset, close } = service;
  const behind = standBehind(service.url, answer);
  if (!nock.isActive()) nock.activate();
  const leave = async (): Promise<void> => {
    behind.leave();
    await close();
  };
  return Object.assign(service, {
    reset: async () => {
      await reset();
      behind.stepBack();
    },
    close: leave,
    [Symbol.asyncDispose]: leave,
  });
}

type Answer = (request: Request) => Promise<nock.ReplyFnResult>;

/** Answers what nobody else does. nock asks in the order in which it was told: so this goes to the end of the row whenever nock looks for somebody. */
function standBehind(origin: string, answer: Answer): { stepBack(): void; leave(): void } {
  let standing: readonly nock.Interceptor[] = [];
  let isBehind = false;
  const leave = (): void => {
    for (const interceptor of standing) nock.removeInterceptor(interceptor);
    standing = [];
  };
  const stepBack = (): void => {
    leave();
    standing = methods.map((method) => {
      const interceptor = scope.intercept(/^/, method).optionally();
      interceptor.reply(answer);
      return interceptor;
    });
  };
  const lookedFor = (): boolean => {
    // it is asked once for each that stands there, all in one turn
    if (isBehind || standing.length === 0) return false;
    isBehind = true;
    queueMicrotask(() => (isBehind = false));
    stepBack();
    return false;
  };
  const scope = nock(origin, { filteringScope: lookedFor }).persist();
  stepBack();
  return { stepBack, leave };
}

/** A client sees the connection break as it would on a wire. */
function throwCause(error: unknown): never {
  throw error instanceof TypeError && error.cause !== undefined ? error.cause : error;
}
