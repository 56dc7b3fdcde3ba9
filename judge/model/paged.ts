import { entriesPerPage } from '../../contract/limits.ts';
import { entriesOf as readEntries, entriesOfPage, versionOf } from '../answer.ts';
import { firstRead } from './reads.ts';
import { inOrderOf, textOf, type Comparison } from './compare.ts';
import { comparePageLinks } from './links.ts';
import { entriesOf } from './state.ts';

/** The pages of the first port, one after the other, hold each entry of the model once; first read and page link agree on their number. */
export async function comparePaged(comparison: Comparison): Promise<void> {
  const { context, shape, subject, where } = comparison;
  const { service, expect, given } = context;
  const port = given.present(shape.ports[0], 'an array port');
  const count = entriesOf(subject.state, 0).length;
  const numbers = Array.from({ length: Math.ceil(count / entriesPerPage) }, (_page, number) => number);
  const [read, ...pages] = await Promise.all([
    firstRead(service, subject.thing),
    ...numbers.map((number) => service.page(subject.thing, number, { port })),
  ]);
  const place = `${port.member} of ${where}, which has ${count} entries`;
  expect(read).toAnswer(200);
  expect(readEntries(read, port).length, `entries in the first read of ${place}`, read).toEqual(
    Math.min(entriesPerPage, count),
  );
  comparePageLinks(comparison, read, port, count);
  for (const [number, page] of pages.entries()) {
    expect(page).toAnswer(200);
    expect(versionOf(page), `version of page ${number} of ${place}`, page).toEqual(subject.state.version);
    expect(entriesOfPage(page).length, `entries on page ${number} of ${place}`, page).toEqual(
      Math.min(entriesPerPage, count - number * entriesPerPage),
    );
  }
  const seen = pages.flatMap(entriesOfPage);
  if (subject.unordered)
    subject.state = {
      ...subject.state,
      arrays: subject.state.arrays.with(0, inOrderOf(entriesOf(subject.state, 0), seen, port)),
    };
  const texts = entriesOf(subject.state, 0).map(({ text }) => text ?? null);
  expect(
    seen.map((entry) => textOf(entry, port)),
    `texts on all pages of ${place}`,
    pages.at(-1) ?? read,
  ).toEqual(texts);
  subject.unordered = false;
  subject.ids = [seen.map(({ entryId }) => entryId)];
}
