import { beforeAll, expect, test } from 'vitest';
import { extensionFaults, hasHostFault, type HostFaultId } from './faults.ts';
import { lookAt } from './observed.fixture.ts';

/** What is seen to be different under each fault; everything else stays as it is. */
const shownBy: Readonly<Partial<Record<HostFaultId, readonly string[]>>> = {
  control: [],
  'signing.extension-host.right-signature-accepted': ['right key', 'mail'],
  'signing.extension-host.missing-signature-refused': ['unsigned'],
  'signing.extension-host.wrong-key-refused': ['wrong key'],
  'signing.extension-host.wrong-path-refused': ['wrong path'],
  'signing.extension-host.query-ignored': ['other query'],
  'calls.host.event-acknowledged': ['event', 'event again', 'events at once'],
  'calls.host.event-acknowledged-first': ['event first'],
  'calls.host.answers-within-timeout': ['metadata', 'event within time'],
  'calls.host.email-acknowledged': ['mail'],
  'calls.host.validation-object': ['validation'],
  'calls.host.validation-outcome': ['validation'],
  'calls.host.action-success-body': ['action success'],
  'calls.host.action-error-body': ['action failure'],
  'calls.host.action-batch-body': ['action batch'],
  'calls.host.uses-envelope-token': ['call-back tokens'],
  // keys are used at the first address as well
  'calls.host.uses-base-address': ['call-backs', 'keys renewed'],
  'calls.host.redelivery': ['event again'],
  'calls.host.concurrent-calls': ['events at once'],
  'tasks.host.acknowledged-first': ['task first'],
  'tasks.host.final-status': ['task success', 'task by odd links'],
  'tasks.host.status-body': ['task success', 'task failure', 'task by odd links', 'task in time'],
  'tasks.host.failure-reported': ['task failure'],
  'tasks.host.downloads-input': ['task success', 'task failure', 'task by odd links', 'task in time'],
  'tasks.host.progress': ['task success', 'task failure', 'task by odd links', 'task in time'],
  'tasks.host.callback-token': ['task success', 'task failure', 'task by odd links', 'task in time'],
  'tasks.host.follows-links': ['task by odd links'],
  'tasks.host.within-timeout': ['task in time'],
  'api-keys.host.request-matches-metadata': ['keys'],
  // a host that cannot take its first key has none to renew
  'api-keys.host.callback-accepted': ['keys brought', 'keys renewed'],
  'api-keys.host.rotation-handled': ['keys renewed'],
};

/** Hosts that are looked at at once: they mostly wait. */
const atOnce = 8;
const faults = Object.keys(extensionFaults).filter(hasHostFault);
const seen = new Map<HostFaultId, ReadonlyMap<string, string>>();
beforeAll(async () => {
  const waiting = [...faults];
  const look = async (): Promise<void> => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift())
      seen.set(fault, await lookAt(fault));
  };
  await Promise.all(Array.from({ length: atOnce }, look));
}, 600_000);

test.each(faults)('%s shows where its rule says, and nowhere else', (fault) => {
  const right = seen.get('control') ?? new Map<string, string>();
  const different = [...right].filter(([name, value]) => seen.get(fault)?.get(name) !== value).map(([name]) => name);
  expect(right.size).toBeGreaterThan(20);
  expect(different).toEqual(shownBy[fault] ?? ['metadata']);
});
