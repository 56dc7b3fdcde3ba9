import type { MetadataRecord } from '../../simulator/extension/metadata.ts';
import type { MakesExtensions } from '../extension/open-extensions.ts';
import type { KeyHolder, KeyHolderOptions, MakesKeyHolders } from './api-keys.ts';

export interface KeyHolderParts {
  readonly extensions: MakesExtensions;
  readonly unique: (prefix?: string) => string;
}

/** Words that make holders of API keys. Source: extensions, Registered trusted external endpoint; Extension metadata record, permissions */
export function openKeyHolders(parts: KeyHolderParts): MakesKeyHolders {
  return {
    keyHolder: (options = {}) =>
      options.trusted === true ? trustedHolder(parts, options) : extensionHolder(parts, options),
  };
}

const usualPermissions = ['AdministrationAPI'] as const;
const usualPath = '/keys';

async function extensionHolder({ extensions, unique }: KeyHolderParts, options: KeyHolderOptions): Promise<KeyHolder> {
  const { permissions = usualPermissions, callbackPath = usualPath, type = 'ExternalEvent' } = options;
  const id = unique('record');
  const recordsAt = (url: string): readonly MetadataRecord[] => [
    {
      id,
      version: '1.0.0',
      name: 'Conformance keys',
      description: 'Asks for API keys.',
      endpoint: `/t/${id}`,
      extensionType: type,
      category: 'conformance',
      ...(permissions !== null && { permissions: { tokenCallback: url + callbackPath, permissions } }),
    },
  ];
  const script = options.script ?? [
    { when: { kind: 'other', path: callbackPath }, steps: [{ status: 200 }], afterwards: 'last' },
  ];
  const extension = await extensions.extension({ records: recordsAt, script });
  return {
    id,
    tokenCallback: extension.url + callbackPath,
    permissions: permissions ?? [],
    reached: extension,
    extension,
  };
}

/** The callback is a place of its own, since its address stands in the registration. */
async function trustedHolder({ extensions }: KeyHolderParts, options: KeyHolderOptions): Promise<KeyHolder> {
  const { permissions = usualPermissions, callbackPath = usualPath, script } = options;
  const reached = await extensions.endpoint({ unregistered: true, target: callbackPath, ...(script && { script }) });
  const tokenCallback = reached.url;
  const registration = permissions === null ? {} : { registration: { permissions: { permissions, tokenCallback } } };
  const { id } = await extensions.endpoint({ trusted: true, ...registration });
  return { id, tokenCallback, permissions: permissions ?? [], reached, extension: undefined };
}
