import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';
import { sendJson, smallService, type Handle } from '../../judge/small-service.fixture.ts';

/** A token with these claims that nobody has signed. */
export function tokenOf(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS512', typ: 'JWT' })}.${part(claims)}.${'A'.repeat(86)}`;
}

/** Answers every request as the handler says. */
export function answering(handle: Handle): Promise<Listening> {
  return smallService(handle);
}

/** Sends everybody to a page for signing in, as a proxy in front of the service does. */
export function redirecting(to: string): Promise<Listening> {
  return answering((_request, response) => void response.writeHead(302, { Location: to }).end());
}

/** A gateway that keeps a service behind a path of which the service knows nothing. */
export function behindPath(path: string, origin: string): Promise<Listening> {
  const gateway = createServer((asked, response) => {
    const { url = '', method, headers } = asked;
    if (!url.startsWith(path)) return void response.writeHead(404).end();
    const onward = request(`${origin}${url.slice(path.length)}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.pipe(onward);
  });
  return listen(gateway);
}

/** Grants a token that is valid only from `seconds` on, and refuses it. */
export function grantingEarly(seconds: number): Promise<Listening> {
  return answering(({ url }, response) => {
    const from = Math.floor(Date.now() / 1000) + seconds;
    if (url === '/auth/token')
      sendJson({ access_token: tokenOf({ sub: 'edda', iat: from, nbf: from, exp: from + 3600 }) }, response);
    else sendJson({ title: 'Unauthorized' }, response, 401);
  });
}

/** Grants a token without an end, and refuses it. */
export function grantingForEver(): Promise<Listening> {
  return answering(({ url }, response) => {
    if (url === '/auth/token') sendJson({ access_token: tokenOf({ sub: 'edda', iat: 1_700_000_000 }) }, response);
    else sendJson({ title: 'Unauthorized' }, response, 401);
  });
}

/** Two hosts behind one address, one of which does not know the key of the other. */
export function ofTwoMinds(): Promise<Listening> {
  let asked = 0;
  return answering(({ url, method }, response) => {
    if (url === '/auth/token')
      return sendJson({ access_token: tokenOf({ sub: 'edda', exp: 4_102_444_800 }) }, response);
    asked += 1;
    return sendJson({ title: 'No' }, response, method === 'POST' || asked % 2 === 0 ? 401 : 404);
  });
}

/** Refuses a grant as an authorisation server does. Source: RFC 6749, 5.2. */
export function refusingGrants(error: string): Promise<Listening> {
  return answering((_request, response) => sendJson({ error }, response, 400));
}

/** Grants a token whose scope holds nothing of the API. Source: RFC 6750, 3.1. */
export function lackingScope(): Promise<Listening> {
  return answering(({ url }, response) => {
    if (url === '/auth/token')
      return sendJson({ access_token: tokenOf({ sub: 'edda', exp: 4_102_444_800 }) }, response);
    response.setHeader('WWW-Authenticate', 'Bearer error="insufficient_scope", scope="All"');
    sendJson({ title: 'Forbidden' }, response, 403);
  });
}

/** Grants a token, takes new objects, and tells of none where it is, or leads to where none is. */
export function creating(headers: Readonly<Record<string, string>>): Promise<Listening> {
  return answering(({ url, method }, response) => {
    if (url === '/auth/token')
      return sendJson({ access_token: tokenOf({ sub: 'edda', exp: 4_102_444_800 }) }, response);
    if (method === 'POST') return void response.writeHead(201, { 'Svc-UOIVersion': '1', ...headers }).end();
    sendJson({ title: 'Not Found' }, response, 404);
  });
}

/** Grants a token, and answers everything else with a page that says of itself to be JSON. */
export function mislabelling(): Promise<Listening> {
  return answering(({ url }, response) => {
    if (url === '/auth/token')
      return sendJson({ access_token: tokenOf({ sub: 'edda', exp: 4_102_444_800 }) }, response);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('<!doctype html><p>welcome</p>');
  });
}

/** Begins an answer that never ends. */
export function endless(): Promise<Listening> {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  return answering((_request, response) => {
    const more = (): void => void (response.destroyed || response.write(chunk, more));
    more();
  });
}

/** Ends every connection as soon as something arrives. */
export function closing(): Promise<Listening> {
  return listen(
    createNetServer((socket) => void socket.on('error', () => undefined).once('data', () => socket.destroy())),
  );
}

/** Speaks TLS with a certificate that it signed itself. @param folder for key and certificate */
export function selfSigned(folder: string): Promise<Listening> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', ...subject],
    { stdio: 'ignore' },
  );
  const server = createSecureServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (_request, response) => void response.end(),
  );
  return listen(server, 'https');
}
