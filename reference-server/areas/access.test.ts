import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlledClock } from '../../clock/controlled.ts';
import { loadConfiguration } from '../load-configuration.ts';
import { routesOf } from '../areas.ts';
import { createServer } from '../server.ts';
import { basic, sample } from './auth-sample.fixture.ts';

const configuration = loadConfiguration();
const clock = controlledClock({ startAt: 1_700_000_000_000 });
const server = createServer({ clock });
beforeAll(async () => void (await server.listen()));
afterAll(() => server.close());

const routes = routesOf(sample().service);
const closedRoutes = routes.filter(({ access }) => access !== 'public' && typeof access !== 'function');
const strangers = ['nora', 'otto', 'cora'];

function send(method: string, template: string, authorization?: string): Promise<Response> {
  const path = template.replace('{spaceId}', 'main').replaceAll(/\{\w+\}/g, 'none');
  return fetch(server.url + path, { method, headers: authorization === undefined ? {} : { authorization } });
}

function patOf(name: string): string {
  return configuration.users.get(name)?.pat ?? '';
}

async function tokenOf(name: string): Promise<string> {
  const { clientId, clientSecret } = configuration.auth;
  const password = configuration.users.get(name)?.password ?? '';
  const body = new URLSearchParams({ grant_type: 'password', username: name, password, scope: 'All' });
  const headers = { authorization: basic(clientId, clientSecret) };
  const response = await fetch(`${server.url}/auth/token`, { method: 'POST', headers, body });
  const { access_token: token } = Object(await response.json());
  return String(token);
}

test('there are routes of every access', () => {
  expect(
    [...new Set(routes.map(({ access }) => (typeof access === 'function' ? 'its own' : access)))].toSorted(),
  ).toEqual(['collection', 'its own', 'participant', 'public', 'space', 'user']);
});

describe.each(closedRoutes)('$method $path ($access)', ({ method, path, access }) => {
  test('is 401 without a usable token, before anything else is looked at', async () => {
    for (const authorization of [undefined, 'Bearer garbage', 'Bearer a.b.c', basic('edda', 'edda-password')]) {
      const response = await send(method, path, authorization);
      expect(response.status).toBe(401);
      const challenge = response.headers.get('www-authenticate') ?? '';
      expect([challenge.includes('Bearer realm="svc"'), challenge.includes('error="invalid_token"')]).toEqual([
        true,
        authorization !== undefined,
      ]);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  test('is 403 for those without access, JWT, bearer PAT or Basic PAT alike', async () => {
    const refused = access === 'collection' ? ['edda', 'rita', 'nora', 'alma'] : strangers;
    for (const name of access === 'user' ? [] : refused) {
      for (const authorization of [
        `Bearer ${patOf(name)}`,
        basic(name, patOf(name)),
        `bearer ${await tokenOf(name)}`,
      ]) {
        expect((await send(method, path, authorization)).status, name).toBe(403);
      }
    }
  });

  test('is open to those with access, whatever comes next', async () => {
    const name = access === 'collection' ? 'cora' : 'edda';
    for (const authorization of [
      `Bearer ${patOf(name)}`,
      basic(name, patOf(name)).replace('Basic', 'bAsIc'),
      `BEARER   ${await tokenOf(name)}`,
    ]) {
      expect([401, 403]).not.toContain((await send(method, path, authorization)).status);
    }
  });

  test('is open to a reader for GET only', async () => {
    const allowed = access === 'user' || access === 'participant' || (access === 'space' && method === 'GET');
    expect((await send(method, path, `Bearer ${patOf('rita')}`)).status === 403).toBe(!allowed);
  });
});
