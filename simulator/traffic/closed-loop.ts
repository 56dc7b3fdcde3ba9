import autocannon from 'autocannon';
import { secureOptionsOf } from '../../contract/secure-context.ts';
import { chooserWithOwn } from './chance.ts';
import { ClosedUser } from './closed-user.ts';
import { restMs } from './connections.ts';
import { earlyEnd, type Engine, type EngineEnd, type EngineSetup } from './engine.ts';
import { remarksOnEnds } from './resend.ts';
import { placeOf } from './wire.ts';

/** How often autocannon looks whether the time is over, in ms. */
const lookMs = 100;

/**
 * Users that begin a journey as soon as the one before has ended, by autocannon's hooks: it tells what a target can take. Latencies are
 * ours, in µs and by operation, as autocannon's are whole ms and all in one; connections that are dropped are counted, which it does not.
 * Its rate option is never used: what it says about latency then is wrong.
 */
export const closedLoop: Engine = async (setup, observer) => {
  if (setup.load.model !== 'closed') throw new TypeError('Expected a number of users: a closed loop has no rate.');
  const choose = chooserWithOwn(setup.mix, setup.seed);
  const place = placeOf(setup.baseUrl);
  const startedAt = performance.now();
  const { users: all } = setup.load;
  const { index: first, of: workers } = setup.share ?? { index: 0, of: 1 };
  const users: ClosedUser[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const instance = autocannon(
    {
      url: setup.baseUrl,
      connections: Math.ceil((all - first) / workers),
      duration: setup.durationMs / 1000,
      timeout: Math.ceil(setup.timeoutMs / 1000),
      sampleInt: lookMs,
      ...(setup.tls && { tlsOptions: secureOptionsOf(setup.tls) }),
      setupClient: (client) =>
        users.push(
          new ClosedUser(client, first + workers * users.length, {
            setup,
            observer,
            place,
            choose,
            giveUp: () => stop(),
          }),
        ),
    },
    (error) => (error ? reject(error) : resolve()),
  );
  // a type of autocannon's that leaves it out
  const stop = (): void => Reflect.get(instance, 'stop').call(instance);
  setup.signal.addEventListener('abort', stop, { once: true });
  await promise.finally(() => setup.signal.removeEventListener('abort', stop));
  for (const user of users) user.end();
  const { remarks, ...early } = earlyEnd(users.find(({ failure }) => failure !== undefined)?.failure);
  return { durationMs: performance.now() - startedAt, remarks: [...remarksOn(setup, users), ...remarks], ...early };
};

function remarksOn({ mix, rampMs }: EngineSetup, users: readonly ClosedUser[]): EngineEnd['remarks'] {
  const dropped = users.reduce((sum, user) => sum + user.dropped, 0);
  const reconnected = users.reduce((sum, user) => sum + user.reconnected, 0);
  const thinks = Object.values(mix.journeys).some((journey) => (journey?.thinkMs?.[1] ?? 0) > 0);
  return [
    ...(thinks
      ? ['This engine cannot wait: think times were left out. Leave out --engine for users who take their time.']
      : []),
    ...(rampMs > 0 || mix.stages !== undefined
      ? ['This engine cannot ramp: all users began at once. Leave out --engine for users who come one after another.']
      : []),
    ...remarksOnEnds({ reconnected }),
    ...(users.some(({ waits }) => waits)
      ? [
          `The target ended kept connections without a word: from then on what must not be sent twice waited ${restMs} ms, so the target may take more than this.`,
        ]
      : []),
    ...(dropped > 0 ? [`${dropped} connections ended before their answer.`] : []),
  ];
}
