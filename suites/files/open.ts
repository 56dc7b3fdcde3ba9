import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { holds, isSuccess } from '../../judge/files/stored-file.ts';
import { areaByArea } from './words.ts';

export const openCases = {
  'files.directories.edge-behaviour': scenario(async ({ given, files, notes }) => {
    const area = files.any;
    const root = given.unique('directories');
    const first = await given.file({ area, path: `${root}/x` });
    const inside = await given.file({ area, path: `${root}/d/f` });
    const replies: Record<string, Reply> = {
      'upload below a file': await files.upload(area, `${root}/x/y`, given.bytes(20)),
      'upload onto a directory': await files.upload(area, `${root}/d`, given.bytes(20)),
      'GET of a directory': await files.download(area, `${root}/d`),
      'GET of a directory with a slash': await files.download(area, `${root}/d/`, { raw: true }),
      'DELETE of a directory that holds a file': await files.remove(area, `${root}/d`),
    };
    for (const { path, bytes } of [first, inside]) {
      const reply = await files.download(area, path);
      replies[`GET of ${path.slice(root.length + 1)} after that`] = reply;
      notes.observe(`${path.slice(root.length + 1)} is as it was`, holds(reply, bytes), reply);
    }
    replies['DELETE of the last file of a directory'] = await files.remove(area, inside.path);
    replies['listing of the emptied directory'] = await files.directory(area, `${root}/d`);
    tell(notes, replies);
  }),

  'files.stream.cut-body': scenario(async ({ given, files, service, notes }) => {
    const area = files.any;
    const path = given.filePath();
    const bytes = given.bytes(60_000);
    const request = files.uploadRequest(area, path, bytes);
    given.bookFile(area, path);
    await service.abandon(request, {
      body: bytes.subarray(0, 30_000),
      headers: { 'Content-Length': String(bytes.byteLength) },
    });
    const partial = await files.download(area, path);
    notes.observe('GET after the connection broke in the middle of the body', partial.status, partial);
    if (isSuccess(partial.status))
      notes.remark(
        `${partial.bytes.byteLength} of ${bytes.byteLength} bytes are served after the connection broke.`,
        partial,
      );
    const retry = await files.upload(area, path, bytes);
    notes.observe('the whole upload after that', retry.status, retry);
  }),

  'files.statuses.recorded': scenario(async (context) => {
    const { notes, files } = context;
    const seen = await Promise.all(
      files.areas.map(async (area) => ({
        area,
        replies: { ...(await successes(context, area)), ...(await failures(context, area)) },
      })),
    );
    for (const { area, replies } of seen) {
      for (const [what, reply] of Object.entries(replies)) {
        notes.observe(`${area.name}: ${what}`, `${reply.status} ${shapeOf(reply)}`, reply);
        notes.remarkServerError(reply);
      }
    }
  }),

  'files.download.response-headers': areaByArea(async ({ given, files, notes }, area) => {
    const { path } = await given.file({ area, bytes: given.bytes(300), contentType: 'text/csv' });
    const reply = await files.download(area, path);
    for (const name of ['Content-Type', 'Content-Length', 'Content-Disposition', 'ETag', 'Accept-Ranges'])
      notes.observe(`${area.name}: ${name} of a download`, toldHeader(name, reply.headers[name.toLowerCase()]), reply);
    const tag = reply.headers['etag'];
    if (tag !== undefined)
      notes.observe(
        `${area.name}: If-None-Match with that ETag`,
        (await files.download(area, path, { headers: { 'If-None-Match': tag } })).status,
      );
    const part = await files.download(area, path, { headers: { Range: 'bytes=0-9' } });
    notes.observe(`${area.name}: Range of ten bytes`, `${part.status}, ${part.bytes.byteLength} bytes`, part);
  }),

  'files.dir.route-exists': areaByArea(async ({ given, files, notes }, area) => {
    const { path } = await given.file({ area });
    const [directory = '', name = ''] = path.split('/');
    const listings = { 'the root': await files.directory(area), 'a directory': await files.directory(area, directory) };
    for (const [what, reply] of Object.entries(listings)) {
      notes.observe(`${area.name}: listing of ${what}`, `${reply.status} ${shapeOf(reply)}`, reply);
      notes.remarkServerError(reply);
    }
    notes.observe(`${area.name}: an uploaded name is listed`, listings['a directory'].text.includes(name));
    notes.observe(
      `${area.name}: listing without a credential`,
      (await files.directory(area, directory, { as: null })).status,
    );
  }),
} satisfies SomeCasesOf<'files'>;

async function successes({ given, files }: CaseContext, area: FileArea): Promise<Record<string, Reply>> {
  const [path, chunked] = [given.filePath(), given.filePath()];
  const chunkSize = 1000;
  const [first, middle, last] = await files.chunks(area, { path: chunked, file: given.bytes(2500), chunkSize });
  return {
    upload: await files.upload(area, path, given.bytes(100)),
    download: await files.download(area, path),
    deletion: await files.remove(area, path),
    ...(first && { 'first chunk': first }),
    ...(middle && { 'middle chunk': middle }),
    ...(last && { 'last chunk': last }),
  };
}

async function failures({ given, files }: CaseContext, area: FileArea): Promise<Record<string, Reply>> {
  const { path, bytes } = await given.file({ area });
  const fresh = given.filePath();
  return {
    'download of a missing file': await files.download(area, fresh),
    'deletion of a missing file': await files.remove(area, fresh),
    'upload onto a file': await files.upload(area, path, bytes),
    'upload with a wrong checksum': await files.upload(area, fresh, bytes, {
      checksum: files.checksumOf(bytes.subarray(1)),
    }),
    'upload without a checksum': await files.upload(area, fresh, bytes, { checksum: null }),
    'download without a credential': await files.download(area, path, { as: null }),
    'upload without a credential': await files.upload(area, fresh, bytes, { as: null }),
  };
}

function tell(notes: CaseContext['notes'], replies: Readonly<Record<string, Reply>>): void {
  for (const [what, reply] of Object.entries(replies)) {
    notes.observe(what, reply.status, reply);
    notes.remarkServerError(reply);
  }
}

/** Media type and member names, so that a fingerprint does not depend on what the file is called. */
function shapeOf({ json, headers }: Reply): string {
  const type = headers['content-type']?.split(';')[0] ?? 'no media type';
  const sample: unknown = Array.isArray(json) ? json[0] : json;
  const members = typeof sample === 'object' && sample !== null ? Object.keys(sample).sort().join(', ') : '';
  return members === '' ? type : `${type} {${members}}`;
}

/** Whether there is one, where the text itself differs from file to file. */
function toldHeader(name: string, value: string | undefined): string {
  if (value === undefined) return 'none';
  if (name === 'ETag') return value.startsWith('W/') ? 'a weak one' : 'a strong one';
  return name === 'Content-Disposition' ? (value.split(';')[0] ?? '') : value;
}
