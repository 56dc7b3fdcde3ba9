import type { Reply } from '../exchange.ts';
import { PreconditionFailed } from '../violation.ts';
import type { FileBookings } from './file-bookings.ts';
import type { Files, MakesFiles } from './files.ts';
import { generatedBytes } from './generated-bytes.ts';

export interface GivenFilesParts {
  readonly files: Files;
  readonly bookings: FileBookings;
  readonly unique: (prefix?: string) => string;
}

const usualLength = 300;

/** Words that make files. */
export function openGivenFiles({ files, bookings, unique }: GivenFilesParts): MakesFiles {
  const given: MakesFiles = {
    filePath: ({ root = false, name } = {}) =>
      root ? (name ?? `${unique('file')}.bin`) : `${unique('dir')}/${name ?? `${unique('file')}.bin`}`,
    bytes: (length) => generatedBytes(unique('bytes'), length),
    file: async ({ area = files.any, path = given.filePath(), bytes = given.bytes(usualLength), contentType } = {}) => {
      const reply = await files.upload(area, path, bytes, contentType === undefined ? {} : { contentType });
      assertUploaded(reply);
      return { area, path, bytes };
    },
    bookFile: (area, path) => bookings.book(area, path),
  };
  return given;
}

function assertUploaded(reply: Reply): void {
  if (reply.status >= 200 && reply.status < 300) return;
  throw new PreconditionFailed('a file to be uploaded by stream', reply, [
    'files.stream.checksum-correct-accepted',
    'files.stream.nested-directories-created',
    'files.stream.root-without-subdirectory',
  ]);
}
