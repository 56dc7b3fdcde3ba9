import { replacing, type Fault } from '../faults/fault.ts';

/** Page links name their array by a JSON Pointer into data. */
export const sectionsByPointer: Fault = replacing('pageLink', (right) => (...args) => {
  const link = right(...args);
  return { ...link, sectionPath: `/${link.sectionPath}` };
});
