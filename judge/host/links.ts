interface LinkPlace {
  /** Base address, with the prefix of unusual links. */
  readonly base: string;
  readonly spaceId: string;
  readonly jobId: string;
  readonly inputPath: string;
  readonly token: string;
  /** A query that links need not have; empty for none. */
  readonly mark: string;
}

/** Links of a task, all absolute; `{path}` and `{status}` are for the host to fill in. Source: extensions, External task links */
export function linksOf(
  place: LinkPlace,
): readonly { readonly id: string; readonly method: string; readonly url: string }[] {
  const { base, spaceId, jobId, inputPath, token, mark } = place;
  const space = `${base}/api/space/${spaceId}`;
  const files = `${space}/fs/file`;
  const input = inputPath.split('/').map(encodeURIComponent);
  const below = input
    .slice(0, -1)
    .map((segment) => `/${segment}`)
    .join('');
  const first = mark === '' ? '' : `?${mark}`;
  const further = mark === '' ? '' : `&${mark}`;
  const links = [
    { id: 'inputDir', method: 'GET', url: `${space}/fs/dir${below}${first}` },
    { id: 'inputFile', method: 'GET', url: `${files}/${input.join('/')}?token=${token}${further}` },
    { id: 'taskStatus', method: 'PUT', url: `${space}/dx/${jobId}/status/{status}${first}` },
    { id: 'taskProgress', method: 'PUT', url: `${space}/dx/${jobId}/progress${first}` },
    { id: 'uploadFileStream', method: 'POST', url: `${files}/stream${below}` },
    { id: 'uploadFile', method: 'POST', url: `${files}${first}` },
    { id: 'content', method: 'GET', url: `${files}/{path}${first}` },
    { id: 'downloadFile', method: 'GET', url: `${files}/{path}?token=` },
  ];
  return mark === '' ? links : links.toReversed();
}
