import { replacing, type FaultsOf } from '../fault.ts';
import { within } from '../reads.ts';

export const filterFaults = {
  'paging.filter.applies-to-page': replacing('assemblePage', (right) => (service, ...rest) => {
    const { entriesOf } = service.behaviours;
    const cutFirst = within(service, {
      entriesOf: async (itself, reading, object, section, range, applied) => {
        const entries = await entriesOf(itself, reading, object, section, range);
        if (applied === undefined || section.port !== applied.filter.port) return entries;
        return entries.filter(({ content }) => content[applied.filter.member] === applied.value);
      },
    });
    return right(cutFirst, ...rest);
  }),

  'paging.filter.value-on-page': replacing('filterOf', (right) => (service, call, softType, parameter) => {
    const applied = right(service, call, softType, parameter);
    const blank = applied?.filter.equals === undefined;
    return blank && parameter === 'softTypeFilter' ? undefined : applied;
  }),

  'paging.filter.shapes-links': replacing(
    'totalOf',
    (right) => (service, reading, object, section) => right(service, reading, object, section),
  ),
} satisfies Partial<FaultsOf<'paging'>>;
