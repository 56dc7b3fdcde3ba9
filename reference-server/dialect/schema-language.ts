import { replacing, type Fault } from '../faults/fault.ts';

/** The schema of a read response is a list of member names in a language of its own. */
export const schemaOfItsOwn: Fault = replacing('schemaOf', () => (softType, view) => ({
  language: 'strange/1',
  definition: softType.id,
  members: [...view.names.keys()],
}));
