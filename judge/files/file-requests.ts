import type { RequestSpec } from '../exchange.ts';
import { checksumOf } from '../host/signature.ts';
import type { BoundProfile } from '../profile.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { changed } from '../requests/prepare.ts';
import { bytesOfChunk, chunkForm } from './chunk.ts';
import type { FileArea, Files, Raw, UploadChanges } from './files.ts';
import { filePath, listingPath, spelled } from './paths.ts';

export interface FileRequests extends Pick<
  Files,
  'uploadRequest' | 'chunkRequest' | 'downloadRequest' | 'removeRequest'
> {
  directoryRequest(area: FileArea, path: string, changes?: Partial<RequestSpec> & Raw): RequestSpec;
}

const octets = 'application/octet-stream';

/** Makes requests of the file routes without sending them. Source: extensions, File routes; ledger dir-listing */
export function fileRequests({ all }: BoundProfile): FileRequests {
  const by = (method: string, area: FileArea, path: string): RequestSpec => ({
    method,
    url: absoluteUrl(all, path),
    as: area.as,
    unbooked: true,
  });
  return {
    uploadRequest: (area, path, bytes, changes = {}) => {
      const request = by('POST', area, `${area.path}/stream/${spelled(path, changes)}`);
      return uploading({ ...request, body: bytes }, bytes, octets, changes);
    },
    chunkRequest: (area, chunk, changes = {}) => {
      const { contentType, body } = chunkForm(chunk);
      return uploading({ ...by('POST', area, area.path), body }, bytesOfChunk(chunk), contentType, changes);
    },
    downloadRequest: (area, path, changes = {}) => plainly(by('GET', area, filePath(area, path, changes)), changes),
    removeRequest: (area, path, changes = {}) => plainly(by('DELETE', area, filePath(area, path, changes)), changes),
    directoryRequest: (area, path, changes = {}) =>
      plainly(by('GET', area, listingPath(all, area, spelled(path, changes))), changes),
  };
}

/** Source: extensions, File routes, stream upload, chunk upload */
function uploading(
  request: RequestSpec,
  bytes: Uint8Array,
  type: string,
  uploadChanges: UploadChanges & Raw,
): RequestSpec {
  const { checksum = checksumOf(bytes), contentType = type, raw: _raw, ...changes } = uploadChanges;
  return changed({ ...request, headers: { 'Content-Type': contentType, checksum } }, changes);
}

function plainly(request: RequestSpec, { raw: _raw, ...changes }: Partial<RequestSpec> & Raw): RequestSpec {
  return changed(request, changes);
}
