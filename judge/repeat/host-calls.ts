import { handedBack, type Stage } from '../../simulator/extension/callee.ts';
import type { Step } from '../../simulator/extension/step.ts';
import { type Sent, splitUrl } from '../client/wire.ts';
import type { Exchange } from '../exchange.ts';
import { jsonOf } from '../json.ts';
import { callOrder, stageOrder } from './calls.ts';

/** Where the service that the suite played stands in a script. */
export const playedService = 'http://played.invalid';

/** Keys that the suite brings are its own, and known to nobody else. */
const anyKey = Buffer.alloc(32, 'any key ').toString('base64');

/** Requests to a host, with orders by which a script states what answers the requests of the host, and gets those that came. */
interface StagedForHost {
  readonly history: readonly Sent[];
  /** The exchange that the assertion names, as it is among them. */
  readonly named: Exchange | undefined;
}

/** Whether a host sent it. */
export function isArrival({ request }: Sent): boolean {
  return request.arrived === true;
}

export function stagedForHost(history: readonly Sent[], named: Exchange | undefined): StagedForHost {
  const arrivals = history.filter(isArrival);
  const origins = [...new Set(arrivals.map(({ request }) => splitUrl(request.url).origin))];
  const moved = (text: string): string =>
    origins
      .reduce((now, origin, index) => now.replaceAll(origin, `${playedService}/x/${index}`), text)
      .replaceAll(/(?<="apiKey":")[^"]+/g, anyKey);
  const byPlace = Map.groupBy(arrivals, placeOf);
  const stage: Stage = {
    sites: origins.map((origin, index) => ({
      base: `/x/${index}`,
      answers: [...byPlace.values()].flatMap((alike) => {
        const [{ request }] = alike as [Sent];
        if (!request.url.startsWith(origin)) return [];
        const path = pathOf(request.url);
        return [{ when: { method: request.method, path }, steps: alike.map(stepOf), afterwards: 'last' as const }];
      }),
    })),
  };
  let namedNow = named;
  // the keys that a host asked for are brought to an address that it tells; what it does else waits for none
  const isBrought = ({ request, exchange }: Sent): boolean =>
    exchange !== named &&
    arrivals.some(({ request: { body = new Uint8Array() } }) => Buffer.from(body).includes(request.url));
  const told = history.flatMap((sent): readonly Sent[] => {
    const { request, exchange } = sent;
    if (isBrought(sent)) return [];
    if (!isArrival(sent)) return [{ ...sent, request: movedRequest(request, moved) }];
    const base = `/x/${origins.indexOf(splitUrl(request.url).origin)}`;
    const number = (byPlace.get(placeOf(sent)) ?? []).indexOf(sent) + 1;
    const { path: target } = splitUrl(request.url);
    const { body = new Uint8Array(), headers, method } = request;
    const call = handedBack({ base, method, target: base + target, headers, body });
    const at = `${method} ${pathOf(request.url)}`;
    const made = callOrder(
      playedService,
      { number, base, at },
      { ...call, body: moved(Buffer.from(call.bytes).toString()) },
    );
    if (exchange === named) namedNow = made.exchange;
    return [made];
  });
  return { history: [stageOrder(playedService, moved(JSON.stringify(stage))), ...told], named: namedNow };
}

function movedRequest(request: Sent['request'], moved: (text: string) => string): Sent['request'] {
  const { url, headers, body } = request;
  return {
    ...request,
    url: moved(url),
    headers: headers.map(([name, value]) => [name, moved(value)]),
    ...(body !== undefined && { body: Buffer.from(moved(Buffer.from(body).toString())) }),
  };
}

function placeOf({ request: { method, url } }: Sent): string {
  return `${method} ${url.split('?', 1)[0]}`;
}

function pathOf(url: string): string {
  return splitUrl(url).path.split('?', 1)[0] ?? '';
}

/** What the suite withheld is answered by nobody. */
function stepOf({ exchange: { response } }: Sent): Step {
  if (response === undefined) return { never: true };
  const { status, body } = response;
  const json = jsonOf(body);
  return { status, ...(body !== '' && (json === undefined ? { text: body } : { json })) };
}
