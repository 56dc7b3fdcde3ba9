import { Refusal } from '../../problem.ts';
import { replacing, type Fault, type FaultsOf } from '../fault.ts';
import { isStreamUpload, md5Of, once, whole } from './words.ts';

const md5Form = /^[0-9a-f]{32}$/;

export const checksumFaults = {
  'files.stream.checksum-correct-accepted': replacing(
    'checksumMatches',
    (right) => (expected, md5) =>
      md5.startsWith('0000') ? right(expected, md5.replace(/^0+/, '')) : right(expected, md5),
  ),

  'files.stream.checksum-wrong-refused': notCompared((given = '', length) => md5Form.test(given) && length > 0),
  'files.stream.checksum-malformed-refused': notCompared((given) => given !== undefined && given.length !== 32),
  'files.stream.checksum-missing-refused': notCompared((given) => given === undefined),

  'files.stream.refused-leaves-no-file': replacing(
    'storeStream',
    (right) => async (service, place, call, content, checksum) => {
      const came = await whole(content);
      await right(service, place, call, once(came), undefined);
      if (checksum !== md5Of(came)) throw new Refusal(400, 'The checksum is that of other content.');
    },
  ),
} satisfies Partial<FaultsOf<'files'>>;

/** Stream uploads whose checksum header is such are taken as they come. @param skipped gets the header and the length of the body */
function notCompared(skipped: (given: string | undefined, length: number) => boolean): Fault {
  return replacing('expectedChecksum', (right) => (service, call) => {
    const isSkipped = isStreamUpload(call) && skipped(call.headers['checksum'], Number(call.headers['content-length']));
    return isSkipped ? undefined : right(service, call);
  });
}
