import { Refusal } from '../../problem.ts';
import { replacing, type FaultsOf } from '../fault.ts';

export const nameFaults = {
  'files.stream.name-with-spaces': replacing(
    'decodedSegment',
    (right) => (segment) => right(segment.replaceAll('+', ' ')),
  ),

  'files.stream.name-unicode': replacing('streamPlaceOf', (right) => (service, call, area) => {
    const place = right(service, call, area);
    return { ...place, segments: place.segments.map((name) => Buffer.from(name, 'utf8').toString('latin1')) };
  }),

  'files.stream.name-percent-literal': replacing('decodedSegment', (right) => (segment) => {
    try {
      return decodeURIComponent(right(segment));
    } catch {
      throw new Refusal(400, 'The path is no percent-encoded text.');
    }
  }),
} satisfies Partial<FaultsOf<'files'>>;
