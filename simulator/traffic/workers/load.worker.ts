import { parentPort } from 'node:worker_threads';
import { type EngineSetup, shareOf, tellAll } from '../engine.ts';
import { engines } from '../engines.ts';
import { TrafficJudge } from '../judging/judge.ts';
import { sampler } from '../judging/sample.ts';
import { madeIn } from '../made.ts';
import { loadOwnJourneys } from '../own-journeys.ts';
import { shiftOfClock } from './clock.ts';
import type { Answer, Order, Orders } from './messages.ts';
import { sharedOf, ShareRecorder } from './recorder.ts';

/** How often a worker tells what happened, in ms. */
const everyMs = 100;
const stopping = new AbortController();
let authorizations: Orders['authorizations'] = new Map();

parentPort?.on('message', (order: Order) => {
  if (order.kind === 'stop') stopping.abort();
  else if (order.kind === 'authorizations') ({ authorizations } = order);
  else void makeShare(order.orders);
});
answer({ kind: 'ready' });

/** Makes the share of the load, judges what an answer alone and a journey alone show, and tells the rest to whoever ordered. */
async function makeShare(orders: Orders): Promise<void> {
  const { setup, ratio } = orders;
  ({ authorizations } = orders);
  const toOthers = shiftOfClock() - orders.shift;
  const recorder = new ShareRecorder(toOthers);
  const judge = judgeOf(orders, toOthers, recorder);
  const tell = (): void => {
    const news = {
      ...recorder.news(),
      until: performance.now() + toOthers,
      judged: judge.exchanges,
      violations: judge.violations.count,
    };
    answer({ kind: 'news', ...news }, [news.requests.buffer, news.lateness.buffer]);
  };
  const timer = setInterval(tell, everyMs);
  const engine = engines[setup.load.model];
  const own = await loadOwnJourneys(setup.mix);
  const end = await engine(
    { ...setupOf(orders, toOthers, recorder), own },
    tellAll(ratio > 0 ? [recorder, judge] : [recorder], (exchange) => {
      recorder.make(madeIn(exchange, setup.ground));
      if (ratio === 0) recorder.shareEvent(exchange);
    }),
  );
  clearInterval(timer);
  const violations = judge.finish();
  tell();
  answer({ kind: 'ended', end, violations });
  parentPort?.close();
}

const authorizationOf: EngineSetup['authorizationOf'] = (identity) => authorizations.get(identity) ?? '';

function judgeOf({ setup, ratio, startsAt }: Orders, toOthers: number, recorder: ShareRecorder): TrafficJudge {
  const isJudged = sampler(ratio);
  const { ground } = setup;
  return new TrafficJudge({
    ground,
    authorizationOf,
    ratio,
    startsAt: startsAt - toOthers,
    breachesOf: () => [],
    histories: {
      see: (exchange) => {
        const shared = sharedOf(exchange, ground, isJudged);
        if (shared !== undefined) recorder.share(shared);
      },
      isBroken: () => false,
      finish: () => undefined,
    },
  });
}

function setupOf({ setup, index, of, startsAt }: Orders, toOthers: number, recorder: ShareRecorder): EngineSetup {
  return {
    ...setup,
    authorizationOf,
    signal: stopping.signal,
    share: { ...shareOf(setup.segment, index, of), startsAt: startsAt - toOthers },
    begunLate: (ms) => recorder.late(ms),
  };
}

function answer(message: Answer, moved: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}
