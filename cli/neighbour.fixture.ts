import { headerNames } from '../contract/names.ts';
import type { LoadedProfile } from '../judge/profile/load.ts';
import { type ExtensionHost, startExtensionHost } from '../simulator/extension/host.ts';

/** Somebody else at the same service: promotes, triggers and registers, each once. @returns what it had not expected */
export type Neighbour = () => Promise<readonly string[]>;

/** What the neighbours of all cases have the service call. */
export const startNeighbouring = (): Promise<ExtensionHost> => startExtensionHost({ records: recordsOfEachType });

const recordsOfEachType = ['Event', 'Validation', 'Task', 'Action', 'Email'].map((kind) => ({
  id: `neighbour-${kind}`,
  version: '1.0.0',
  name: `Neighbour ${kind}`,
  endpoint: `/${kind}`,
  extensionType: kind === 'Email' ? 'Email' : `External${kind}`,
  category: 'neighbour',
  rateLimitNumberOfExecutions: 100_000,
  ...(kind === 'Validation' && {
    capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document', 'Part', 'Requirement', 'ChangeRequest'] }],
  }),
}));

/** Registers somebody who uses what the case registers, of each kind: settled beside a case at the same service. */
export async function settle({ profile }: LoadedProfile, { url: hostUri }: ExtensionHost): Promise<Neighbour> {
  const ask = async (pat: string, method: string, path: string, body?: unknown, headers = {}): Promise<Response> =>
    fetch(profile.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${pat}`,
        [headerNames.informationFilter]: btoa('{}'),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const { editor, administrator } = profile.identities;
  const edit = ask.bind(undefined, editor?.pat ?? '');
  const administer = ask.bind(undefined, administrator?.pat ?? '');
  const key = btoa('the symmetric key of the neighbour, which nobody else has...');
  const registered = await administer('POST', '/api/admin/svcExtension', { hostUri, apiKey: key, tokenLifeTime: 60 });
  const { id: registrationId } = (await registered.json()) as { readonly id: string };
  const deeds = deedsOf({ registrationId, hostUri, edit, administer });
  let round = 0;
  return async () => {
    const own = (round += 1);
    const surprises: string[] = [];
    for (const [what, status, deed] of deeds) {
      const answer = await deed(own);
      const text = await answer.text();
      if (answer.status !== status) surprises.push(`${what}: ${answer.status} ${text}`);
    }
    return surprises;
  };
}

type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

interface Settled {
  readonly registrationId: string;
  readonly hostUri: string;
  readonly edit: Ask;
  readonly administer: Ask;
}

type Deed = readonly [what: string, status: number, deed: (round: number) => Promise<Response>];

function deedsOf({ registrationId, hostUri, edit, administer }: Settled): readonly Deed[] {
  const promote = (oid: string, level: string): string =>
    `/api/space/main/maturityAction/promote/${oid}/release/${level}`;
  const named = (type: string) => ({ registrationId, recordId: `neighbour-${type}` });
  const made = async (): Promise<string> => {
    const answer = await edit('POST', '/api/space/main/softtype/Document/documentInput', { title: 'of the neighbour' });
    return answer.headers.get('location')?.split('/').at(-1) ?? '';
  };
  const endpointOf = (id: string) => ({
    url: `${hostUri}/Event`,
    id,
    method: 'POST',
    category: 'neighbour',
    headers: [{ name: 'content-type', value: 'application/json' }],
    rateLimitNumberOfExecutions: 100_000,
    tokenLifeTime: 60,
  });
  return [
    [
      'promote',
      204,
      async () => edit('PUT', promote(await made(), 'engineering'), undefined, { 'svc-uoiversion': '1' }),
    ],
    [
      'batch',
      200,
      async () => {
        const oid = await made();
        const operation = (level: string, version: number) => ({
          method: 'PUT',
          href: promote(oid, level),
          headers: { 'Svc-UOIVersion': version },
        });
        return edit('POST', '/api/space/main/batch', [operation('engineering', 1), operation('approval', 2)]);
      },
    ],
    ['event', 201, () => edit('POST', '/api/space/main/externalEvent', { ...named('Event'), contentPayload: {} })],
    [
      'email',
      202,
      () =>
        edit('POST', '/api/space/main/externalEmail', {
          ...named('Email'),
          to: 'a@example.com',
          subject: 's',
          body: 'b',
        }),
    ],
    [
      'task',
      201,
      () => edit('POST', '/api/space/main/dx', { ...named('Task'), inputPath: '/neighbour.csv', taskSettings: {} }),
    ],
    [
      'action',
      200,
      () => edit('POST', '/api/space/main/externalAction/neighbour-Action', { kind: 'ribbon', registrationId }),
    ],
    ['endpoint', 201, (round) => administer('POST', '/api/admin/externalEndpoint', endpointOf(`neighbour-${round}`))],
    [
      'trusted endpoint',
      201,
      (round) => administer('POST', '/api/admin/trustedExternalEndpoint', endpointOf(`trusted-neighbour-${round}`)),
    ],
    [
      'endpoint called',
      201,
      (round) =>
        edit('POST', '/api/space/main/externalEvent', { endpointId: `trusted-neighbour-${round}`, contentPayload: {} }),
    ],
  ];
}
