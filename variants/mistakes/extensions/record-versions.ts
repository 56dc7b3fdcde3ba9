import { Misfit } from '../../../reference-server/areas/records.ts';
import { replaces, type Variant } from '../../breaks.ts';
import { bareEvent } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { at, type Service } from '../service.ts';
import { changes } from '../variant-parts.ts';

export const recordVersionsMistakes: Mistakes = {
  'metadata.version-of-32-bits': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'A record may have any version that SemVer knows, also one with a number of more than 32 bits.',
    variant: changes('metadata', 'recordFrom', (record) =>
      'version' in record && record.version.split(/[.+-]/).some((part) => Number(part) >= 2 ** 31)
        ? new Misfit('/version', 'must be a version')
        : record,
    ),
    survives: 'Many a library for SemVer takes no larger numbers: it is remarked on.',
    async shows({ host, edda }) {
      await host([{ ...bareEvent, version: '1.0.3000000000' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },
  'metadata.version-with-a-hyphen': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'A record may have any version that SemVer knows, one with a hyphen in its pre-release as well.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      /^[^+]*-[^+]*-/.test(String(at(item, '/version')))
        ? new Misfit('/version', 'must be a version')
        : right(areas, item),
    ),
    async shows({ host, edda }) {
      await host([{ ...bareEvent, version: '1.0.0-rc-1' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },
  'metadata.version-of-two-digits': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record may have any version that SemVer knows, also one whose numbers have two digits.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const version = at(item, '/version');
      return typeof version === 'string' && /\d\d/.test(version)
        ? new Misfit('/version', 'must be a version')
        : right(areas, item);
    }),
    async shows({ host, edda }) {
      await host([{ id: 'event', version: '1.10.0' }]);
      return (await edda.sendEvent()).status !== 201;
    },
  },
  'metadata.version-with-a-build': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record may have any version that SemVer knows, one with a build behind it as well.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const version = at(item, '/version');
      return typeof version === 'string' && version.includes('+')
        ? new Misfit('/version', 'must be a version')
        : right(areas, item);
    }),
    async shows({ host, edda }) {
      await host([{ id: 'event', version: '1.0.0-rc.1+build.5' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },
  'metadata.zero-in-build': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'The version of a record may have build metadata, parts of which may begin with a zero.',
    museum: true,
    variant: refusingVersion(/\+(?:.*\.)?0\d/),
    shows: (service) => isPassedOver(service, '0.2.13+1583426134.07de632'),
  },
  'metadata.dot-in-prerelease': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'The version of a record may name a pre-release in several parts.',
    museum: true,
    variant: refusingVersion(/^[^+]*-[^+]*\./),
    shows: (service) => isPassedOver(service, '1.0.0-alpha.1'),
  },
  'metadata.no-pre-releases': {
    source: 'extensions: Extension metadata record, version',
    breaks: 'A pre-release is a version that SemVer knows.',
    variant: changes('metadata', 'recordFrom', (record) =>
      !(record instanceof Misfit) && record.version.includes('-')
        ? new Misfit('/version', 'must be three numbers')
        : record,
    ),
    async shows({ host, edda }) {
      await host([{ id: 'proof', version: '2.0.0-rc.1+build.5' }]);
      return (await edda.sendEvent('proof')).status >= 400;
    },
  },
};

function refusingVersion(form: RegExp): Variant {
  return changes('metadata', 'recordFrom', (record) => {
    if (record instanceof Misfit || !form.test(record.version)) return record;
    return new Misfit('/version', 'is no version');
  });
}

async function isPassedOver({ host, edda }: Service, version: string): Promise<boolean> {
  await host([{ id: 'taken', version }]);
  return (await edda.sendEvent('taken')).status === 422;
}
