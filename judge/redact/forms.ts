/** Every spelling under which a secret travels: in JSON, in a URL, in a form, in HTML, as Base64. */
export function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64');
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret.toWellFormed());
  const form = new URLSearchParams({ '': secret }).toString().slice(1);
  const forms = [
    secret,
    json,
    json.replaceAll(/[^\x20-\x7e]/g, unicodeEscape),
    json.replaceAll('/', '\\/'),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    form,
    html(secret, '&#39;'),
    html(secret, '&#x27;'),
    base64,
    base64.replaceAll('=', ''),
    Buffer.from(secret).toString('base64url'),
  ];
  return [...new Set(forms)];
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function html(secret: string, apostrophe: string): string {
  return secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe);
}
