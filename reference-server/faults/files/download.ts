import { claimsOf } from '../../auth/token.ts';
import { Refusal } from '../../problem.ts';
import { replacing, type Fault, type FaultsOf } from '../fault.ts';
import { directoryOf, keeping } from './words.ts';

export const downloadFaults = {
  'files.download.bearer': withoutCredentials('bearer', 'GET'),

  'files.download.query-token': replacing('queryCredentialsOf', () => () => undefined),

  'files.download.query-token-invalid-refused': replacing('authenticateFile', (right) => async (service, call) => {
    const token = service.behaviours.credentialsOf(call.headers) === undefined ? call.query.get('token') : null;
    const [, payload = ''] = token?.split('.') ?? [];
    const claims = payload === '' ? undefined : claimsOf(Buffer.from(payload, 'base64url'));
    const user = claims === undefined ? undefined : service.configuration.users.get(claims.sub);
    return user ?? right(service, call);
  }),

  'files.download.basic-pat': withoutCredentials('basic', 'GET'),

  'files.download.basic-wrong-pat-refused': replacing('authenticateFile', (right) => async (service, call) => {
    const given = service.behaviours.credentialsOf(call.headers);
    const user =
      given?.scheme === 'basic' && given.secret === '' ? service.configuration.users.get(given.name) : undefined;
    return user ?? right(service, call);
  }),

  // what looks like UTF-16 is kept as UTF-8
  'files.download.bytes-identical': keeping((came) =>
    came[0] === 0xff && came[1] === 0xfe ? Buffer.from(came.toString('utf16le'), 'utf8') : came,
  ),

  'files.download.missing-file-fails': replacing('downloadFile', (right) => async (service, call, kind) => {
    try {
      return await right(service, call, kind);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
      const area = await service.behaviours.openArea(service, call, kind);
      const directory = directoryOf(service.behaviours.filePlaceOf(service, call, area));
      const others = directory.segments.length === 0 ? [] : await service.files.list(directory);
      if (others === undefined || others.length === 0) throw error;
      return { status: 200 };
    }
  }),

  'files.download.missing-file-404': replacing(
    'missingFile',
    () => () => new Refusal(500, 'The file could not be opened.'),
  ),
} satisfies Partial<FaultsOf<'files'>>;

/** Credentials of that scheme are not seen where the method is that one. */
export function withoutCredentials(scheme: 'basic' | 'bearer', method: string): Fault {
  return replacing('fileCredentialsOf', (right) => (service, call) => {
    const ignored = call.method === method && service.behaviours.credentialsOf(call.headers)?.scheme === scheme;
    return ignored ? service.behaviours.queryCredentialsOf(call) : right(service, call);
  });
}
