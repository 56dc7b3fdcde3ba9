import { describe, expect, test } from 'vitest';
import { needs } from '../contract/needs.ts';
import { sendJson } from '../judge/small-service.fixture.ts';
import { answering } from './doctor/broken-target.fixture.ts';
import { swap, triedProfile, type Change } from './doctor/tried-profile.fixture.ts';

const { at, profileWith, doctorOf } = await triedProfile();

describe('what only doctor tries', () => {
  test.each<readonly [what: string, change: Change, key: string]>([
    ['a route to take a lock', swap('/lock/{objectId}', '/lok/{objectId}'), 'correct routes.lockTake'],
    [
      'a route to delete',
      swap(
        'softTypeDelete: /api/space/{spaceId}/softtype/{objectId}',
        'softTypeDelete: /api/space/{spaceId}/softtype/gone/{objectId}',
      ),
      'correct routes.softTypeDelete',
    ],
    [
      'the log',
      (text) => text.replace(/(log: .*"token":")[^"]+/, '$1mistyped'),
      'correct probes.log.url or probes.log.token',
    ],
    [
      'the clock',
      (text) => text.replace(/(time: .*"token":")[^"]+/, '$1mistyped'),
      'correct time.control.url or time.control.token',
    ],
    [
      'a cached resource',
      swap(
        '{ path: /api/collection/template, as: administrator }',
        '{ path: /api/collection/templates, as: administrator }',
      ),
      'correct caching.resources',
    ],
    [
      'a route of registrations',
      swap('registrationUpdate: { method: PUT', 'registrationUpdate: { method: PATCH'),
      'correct routes.registrationUpdate',
    ],
    ['a route of jobs', swap("dx/{{jobId}}'", "dx/{{jobId}}/x'"), 'correct routes.job or triggers.task.idPath'],
    ['members', swap('scalars: [note, remark]', 'scalars: [note, remrak]'), 'correct softTypes.primary.scalars'],
    [
      'a text without which an entry is none',
      swap('text: comment\n      mandatory: name', 'text: name'),
      'correct softTypes.primary.arrayPort',
    ],
    [
      'an input schema that lacks a text',
      swap('scalars: [note, remark]', 'scalars: [note, scale/~1]'),
      'correct softTypes.primary.secondInputSchema',
    ],
  ])('%s that is wrong is named, with request and answer where there is one', async (_what, change, key) => {
    const { exitCode, printed } = await doctorOf(profileWith(change));
    expect(printed).toContain(key);
    expect(printed).toMatch(/^1 of \d+ fail/m);
    if (!key.includes('softTypes')) expect(printed).toMatch(/^ {10}> [A-Z]+ http.*\n(?: {10}> .*\n)* {10}< \d{3}$/m);
    expect(exitCode).toBe(3);
  });

  test('an event that would reach everybody is named, and not set off', async () => {
    const names = "recordId: '{{recordId}}', registrationId: '{{registrationId}}', ";
    const { exitCode, printed } = await doctorOf(profileWith(swap(names, '')));
    expect(printed).toMatch(/^ {2}failed {2}triggers\.event, [^]*\n {10}triggers\.event names no extension/m);
    expect(exitCode).toBe(3);
  });

  test('a trigger that leads to no call is named', async () => {
    const { exitCode, printed } = await doctorOf(profileWith(swap('/externalEmail', '/externalMail')));
    expect(printed).toContain('correct triggers.email');
    expect(printed).toMatch(/^1 of \d+ fail/m);
    expect(printed).toMatch(/^ {2}trigger-email +triggers.email/m);
    expect(printed).not.toContain('Not deleted');
    expect(exitCode).toBe(3);
  });

  test('what stays is told once, where one reason keeps all of it', async () => {
    const { printed } = await doctorOf(profileWith((text) => text.replace(/^ *softTypeDelete: .*\n/m, '')));
    expect(printed.match(/^Not deleted: .*/gm)).toEqual([expect.stringMatching(/ and \d+ more \(/)]);
  });

  test('every need is told once, and 0 is the answer where all works', async () => {
    const { exitCode, printed } = await doctorOf(profileWith((text) => `${text}\n`));
    const told = Object.keys(needs).map(
      (need) => printed.match(new RegExp(`(?:^ {2}|the same for (?:.*, )?)${need}(?: |,|$)`, 'gm'))?.length,
    );
    expect(new Set(told)).toEqual(new Set([1]));
    expect(exitCode).toBe(0);
  });

  test('what fails stands at the end, and needs of which the same is said share a line', async () => {
    const target = await answering((_request, response) => void response.destroy());
    await target[Symbol.asyncDispose]();
    const { printed } = await doctorOf(
      profileWith((text) => at(target.url)(text).replace(/^extensionHost:\n(?: .*\n)+/m, '')),
    );
    expect(printed).toMatch(/Needs that the profile does not declare[^]*Tried:\n {2}failed {2}an answer of/);
    expect(printed).toMatch(/^ {2}extension-host +add extensionHost .*; the same for extension-event, extension-val/m);
  });

  test('what is not offered is no failure and no lack', async () => {
    const { exitCode, printed } = await doctorOf(
      profileWith((text) => `${text}notSupported: { lock-route: nobody locks }\n`),
    );
    expect(printed).toMatch(/Needs that are not offered: 1\n {2}lock-route +nobody locks/);
    expect(exitCode).toBe(0);
  });

  test('what accounts for all that is not declared can be pasted', async () => {
    const { exitCode, printed } = await doctorOf(
      profileWith((text) => `${text.replace(/^extensionHost:\n(?: .*\n)+/m, '').replace(/^listener:.*\n/m, '')}\n`),
    );
    const block = /^notSupported:\n(?: {2}['*\w-]+: not offered # \d+\n)+/m.exec(printed)?.[0] ?? '';
    expect(block).toMatch(/^ {2}extension-listener: not offered # \d{3}$/m);
    expect(block).not.toContain('trigger-');
    expect(exitCode).toBe(0);
    const again = await doctorOf(profileWith((text) => `${text.replace(/^listener:.*\n/m, '')}\n${block}`));
    expect(again.printed).not.toContain('where none of that is offered');
  });

  test('lines about needs that are called alike are one, where the profile has nothing that is called so', async () => {
    const withoutFiles = (text: string): string => text.replace(/^files:\n(?: .*\n)+/m, '');
    const { printed } = await doctorOf(profileWith(withoutFiles));
    const block = /^notSupported:\n(?: {2}['*\w-]+: not offered # \d+\n)+/m.exec(printed)?.[0] ?? '';
    expect(block).toMatch(/^ {2}file-area-\*: not offered # \d+$/m);
    expect(block).not.toContain('file-area-any');
    const again = await doctorOf(profileWith((text) => `${withoutFiles(text)}\n${block}`));
    expect(again.printed).not.toContain('where none of that is offered');
  });

  test('a clock that is 10 minutes behind is told', async () => {
    await using target = await answering(({ url }, response) => {
      response.setHeader('Date', new Date(Date.now() - 600_000).toUTCString());
      sendJson({ access_token: url === '/auth/token' ? 'a-token' : '' }, response);
    });
    const { exitCode, printed } = await doctorOf(profileWith(at(target.url)));
    expect(printed).toMatch(/The clock of the service is (599|60\d) s behind that of this machine/);
    expect(exitCode).toBe(3);
  });
});
