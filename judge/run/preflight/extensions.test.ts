import { expect, onTestFinished, test } from 'vitest';
import { NoAnswer } from '../../client/failure.ts';
import type { Profile } from '../../../contract/profile.ts';
import { Base } from '../base.ts';
import { validationUsable } from './extensions.ts';
import { profileOfServer } from '../session.fixture.ts';
import { replaces, type Variant } from '../../../variants/breaks.ts';

async function told(
  listener: Profile['listener'],
  needs: readonly 'extension-listener'[] = ['extension-listener'],
): Promise<string | undefined> {
  const loaded = await profileOfServer({}, (profile) => ({ ...profile, ...(listener && { listener }) }));
  const base = new Base({ loaded, seed: 1 }, new AbortController().signal, new Set(needs));
  onTestFinished(() => base.close());
  // the rules that need none are judged
  expect(await base.preflight()).toBeUndefined();
  return base.unusable()['extension-listener'];
}

test('a listener that the service reaches is no news', async () => {
  expect(await told({ bind: '127.0.0.1:0', publicUrl: 'http://127.0.0.1:{port}' })).toBeUndefined();
});

test('an address that cannot be listened on is named', async () => {
  expect(await told({ bind: '203.0.113.1:0', publicUrl: 'http://127.0.0.1:{port}' })).toMatch(
    /listen on 203\.0\.113\.1:0 .* correct listener\.bind/,
  );
});

test('a public URL that leads elsewhere is named', async () => {
  expect(await told({ bind: '127.0.0.1:0', publicUrl: 'http://127.0.0.1:9' })).toMatch(
    /was not asked for its metadata: .*listener\.publicUrl \(http:\/\/127\.0\.0\.1:9\)/,
  );
});

test('nobody asks where no rule of the run needs it', async () => {
  expect(await told({ bind: '203.0.113.1:0', publicUrl: 'http://127.0.0.1:9' }, [])).toBeUndefined();
});

test('registrations without an id are told, and no case lets the service ask for validations', async () => {
  const nameless = replaces('registrations', 'createExtension', async (right, areas, ...rest) => {
    await right(areas, ...rest);
    return { status: 204 };
  });
  const loaded = await profileOfServer({ faults: [nameless] });
  const base = new Base({ loaded, seed: 1 }, new AbortController().signal, new Set(['extension-listener']));
  onTestFinished(() => base.close());
  expect(await base.preflight()).toBeUndefined();
  expect(base.completed().triggers).not.toHaveProperty('validation');
  expect(base.unusable()['trigger-validation']).toMatch(/^the answer to a registration \(204\) names no id/);
});

test('a validation that nobody of the run is asked for, and that does not end, is told with who may be asked', async () => {
  const profile = { all: { softTypes: {}, triggers: { validation: {} } } };
  const unanswered = { validation: () => Promise.reject(new NoAnswer('no complete answer within 30 s')) };
  const ground = { profile, triggers: unanswered, given: { object: () => Promise.resolve({}) } };
  expect(await validationUsable(ground as never, new Set(['extension-listener']))).toMatch(
    /^triggers\.validation was not answered .* \(no complete answer within 30 s\): remove an extension .* left registered/,
  );
});

const pathless = replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) => ({
  ...right(areas, extension, correlationId),
  url: new URL('/svc/extension', extension.hostUri).href,
}));

test.each([
  [
    'leaves the fault of a service that leaves out the path of hostUri to the rules',
    'http://127.0.0.1:{port}',
    undefined,
  ],
  [
    'tells what came in its place where something may take paths away',
    'http://127.0.0.1:{port}/suite',
    /got GET \/svc\/extension instead/,
  ],
])('%s', async (_what, publicUrl, sentence) => {
  const loaded = await profileOfServer({ faults: [pathless] }, (profile) => ({
    ...profile,
    listener: { bind: '127.0.0.1:0', publicUrl },
  }));
  const base = new Base({ loaded, seed: 1 }, new AbortController().signal, new Set(['extension-listener']));
  onTestFinished(() => base.close());
  expect(await base.preflight()).toBeUndefined();
  const told = base.unusable()['extension-listener'];
  if (sentence === undefined) expect(told).toBeUndefined();
  else expect(told).toMatch(sentence);
});

/** An extension is asked about one object at a time. */
function askedOneByOne(): Variant {
  const lasts = new Map<string, Promise<unknown>>();
  return replaces('validation', 'askValidator', (right, areas, call, object, validator) => {
    const before = lasts.get(validator.registrationId) ?? Promise.resolve();
    const asked = before.then(() => right(areas, call, object, validator));
    lasts.set(
      validator.registrationId,
      asked.catch(() => undefined),
    );
    return asked;
  });
}

test.each([
  ['about several objects at once', [], undefined],
  ['about one object after another', [askedOneByOne()], 'wait'],
] as const)('whether an extension is asked %s is found out', async (_how, faults, found) => {
  const loaded = await profileOfServer({ faults }, ({ expect: _stated, ...profile }) => profile);
  // a case may promote that does not need to
  const base = new Base({ loaded, seed: 1 }, new AbortController().signal, new Set(['extension-listener']));
  onTestFinished(() => base.close());
  expect(await base.preflight()).toBeUndefined();
  expect(base.completed().expect?.duringValidation).toBe(found);
});
