import { foreignName, foreignNames } from '../../fixtures/files.ts';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { expectNothingAt } from '../../judge/files/stored-file.ts';
import { everyArea, inEvery, readsBack, roundTrip, stored, storesAndReadsBack } from './words.ts';

export const nameCases = {
  'files.stream.name-with-spaces': everyArea(async (context, area) => {
    const { given, files, expect } = context;
    const directory = given.unique('plus');
    await roundTrip(context, area, `${given.unique('my dir')}/a b.txt`, given.bytes(100));
    const [plus, blank] = [given.bytes(110), given.bytes(111)];
    expect(await files.upload(area, `${directory}/a+b.txt`, plus, { raw: true })).toSucceed();
    await storesAndReadsBack(context, area, `${directory}/a b.txt`, blank);
    await readsBack(context, area, `${directory}/a+b.txt`, plus);
  }),

  'files.stream.name-unicode': property(
    foreignName,
    (context, name) =>
      inEvery(context, context.files.areas, (area) =>
        roundTrip(context, area, context.given.filePath({ name }), context.given.bytes(100)),
      ),
    { always: foreignNames, share: 0.1 },
  ),

  'files.stream.name-percent-literal': everyArea(async (context, area) => {
    const { given, files } = context;
    const directory = given.unique('percent');
    for (const name of ['100%.txt', 'q#1.txt', 'a&b=c.txt', '%41.txt'])
      await roundTrip(context, area, `${given.unique('sign')}/${name}`, given.bytes(100));
    const asked = `${directory}/q?.txt`;
    const trial = await files.upload(area, asked, given.bytes(100));
    if (trial.status >= 400 && trial.status < 500) await expectNothingAt(context, area, asked);
    else await roundTrip(context, area, `${given.unique('sign')}/q?.txt`, given.bytes(100));
    const [coded, blank] = [given.bytes(101), given.bytes(102)];
    await storesAndReadsBack(context, area, `${directory}/a%20b.txt`, coded);
    await storesAndReadsBack(context, area, `${directory}/a b.txt`, blank);
    await readsBack(context, area, `${directory}/a%20b.txt`, coded);
  }),

  'files.names.unusual': scenario(async (context) => {
    const { given, files, notes } = context;
    const area = files.any;
    const directory = given.unique('unusual');
    await stored(context, area, `${directory}/Case.txt`, given.bytes(10));
    notes.observe('GET of a name in other letter case', (await files.download(area, `${directory}/case.txt`)).status);
    await stored(context, area, `${directory}/${'é'.normalize('NFC')}.txt`, given.bytes(10));
    notes.observe(
      'GET of a name in another normal form',
      (await files.download(area, `${directory}/${'é'.normalize('NFD')}.txt`)).status,
    );
    for (const [what, name] of Object.entries(unusualNames)) {
      const reply = await files.upload(area, `${directory}/${name}`, given.bytes(10), { raw: true });
      notes.observe(`upload of a name ${what}`, reply.status, reply);
      notes.remarkServerError(reply);
    }
    await given.file();
  }),
} satisfies SomeCasesOf<'files'>;

/** As they stand in a URL. */
const unusualNames: Readonly<Record<string, string>> = {
  'that differs in letter case from another': 'case.txt',
  'with a NUL': 'nul%00.txt',
  'with a control character': 'bell%07.txt',
  'with a line end': 'line%0D%0Aend.txt',
  'reserved by some systems': 'CON',
  'that ends with dots': 'dots...',
  'of 255 bytes': 'l'.repeat(255),
  'of 300 bytes': 'l'.repeat(300),
  'that is no UTF-8': 'latin%E9.txt',
};
