import { mediaTypes } from '../../../contract/names.ts';
import { withParameter } from '../../calls/url.ts';
import { replacing, type FaultsOf } from '../fault.ts';
import { toEndpoints } from './requests.ts';

/** A life time that is nobody's own, in minutes. */
const globalLifeMinutes = 60;

export const endpointFaults = {
  'calls.simple.method': toEndpoints('externalEndpoint', (request) =>
    request.method === 'PATCH' ? { ...request, method: 'POST' } : request,
  ),
  'calls.simple.headers': toEndpoints('externalEndpoint', (request) => {
    const kept = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'content-type');
    return { ...request, headers: { ...Object.fromEntries(kept), 'content-type': mediaTypes.json } };
  }),
  'calls.simple.body': toEndpoints(
    'externalEndpoint',
    ({ body, ...request }, { envelopeId, informationFilter, payload }) => {
      if (body === undefined) return request;
      return { ...request, body: JSON.stringify({ id: envelopeId, informationFilter, payload }) };
    },
  ),
  'calls.simple.no-body-for-get': toEndpoints('externalEndpoint', (request, { payload }) =>
    request.method === 'GET' ? { ...request, body: JSON.stringify(payload) } : request,
  ),
  'calls.simple.no-token': toEndpoints('externalEndpoint', async (request, { userName }, service) => {
    const token = await service.behaviours.impersonationToken(service, userName, globalLifeMinutes);
    return { ...request, url: withParameter(request.url, 'access_token', token) };
  }),

  'calls.trusted.access-token-appended': replacing(
    'tokenParameter',
    (right) => (kind) => (kind === 'endpoint' ? 'token' : right(kind)),
  ),
  'calls.trusted.existing-query-kept': toEndpoints('trustedExternalEndpoint', (request) => ({
    ...request,
    url: request.url.replace('&access_token=', '?access_token='),
  })),
  'calls.trusted.token-life-time': replacing('endpointUrl', (right) => (service, delivery, target) => {
    const impersonationToken: typeof service.behaviours.impersonationToken = (within, userName) =>
      service.behaviours.impersonationToken(within, userName, globalLifeMinutes);
    return right({ ...service, behaviours: { ...service.behaviours, impersonationToken } }, delivery, target);
  }),
  'calls.trusted.simple-rules-apply': toEndpoints('trustedExternalEndpoint', (request) => ({
    ...request,
    headers: {},
  })),
} satisfies Partial<FaultsOf<'calls'>>;
