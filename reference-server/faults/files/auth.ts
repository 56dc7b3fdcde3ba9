import { claimsOf } from '../../auth/token.ts';
import type { AreaKind } from '../../files/areas.ts';
import type { Call } from '../../service.ts';
import { replacing, type Fault, type FaultsOf } from '../fault.ts';
import { withoutCredentials } from './download.ts';
import { areaOfAnyone, isChunkUpload, isStreamUpload } from './words.ts';

export const authFaults = {
  'files.auth.stream-missing-credential-401': openFor(isStreamUpload),
  'files.auth.chunk-missing-credential-401': openFor(isChunkUpload),
  'files.auth.download-missing-credential-401': openFor(
    ({ method, url }) => method === 'GET' && !url.includes('/fs/dir'),
  ),

  'files.auth.delete-missing-credential-401': replacing('removeFile', (right) => async (service, call, kind) => {
    const { behaviours } = service;
    const area =
      behaviours.fileCredentialsOf(service, call) === undefined ? areaOfAnyone(service, call, kind) : undefined;
    if (area !== undefined) await behaviours.deleteFile(service, behaviours.filePlaceOf(service, call, area));
    return right(service, call, kind);
  }),

  'files.auth.invalid-bearer-refused': replacing('authenticateFile', (right) => async (service, call) => {
    const given = service.behaviours.credentialsOf(call.headers);
    const [header = '', payload = ''] = given?.scheme === 'bearer' ? given.token.split('.') : [];
    const isUnsigned = Buffer.from(header, 'base64url').toString('utf8').includes('"none"');
    const claims = isUnsigned ? claimsOf(Buffer.from(payload, 'base64url')) : undefined;
    return (claims && service.configuration.users.get(claims.sub)) ?? right(service, call);
  }),

  'files.auth.space-non-member-403': openToAll('space'),
  'files.auth.collection-non-admin-403': openToAll('collection'),
  'files.auth.upload-basic-pat': withoutCredentials('basic', 'POST'),
} satisfies Partial<FaultsOf<'files'>>;

/** Such calls need no credential. */
function openFor(applies: (call: Call) => boolean): Fault {
  return replacing('openArea', (right) => async (service, call, kind) => {
    const isAnonymous = service.behaviours.fileCredentialsOf(service, call) === undefined;
    const area = isAnonymous && applies(call) ? areaOfAnyone(service, call, kind) : undefined;
    return area ?? right(service, call, kind);
  });
}

/** Whoever has a credential may use the areas of that kind. */
function openToAll(kind: AreaKind): Fault {
  return replacing(
    'mayUseArea',
    (right) => (service, user, area, call) => area.kind === kind || right(service, user, area, call),
  );
}
