/** What the page does beyond HTML: filter, copy, open what a link names and what is printed. It never makes markup of a text. */
export const script = String.raw`
'use strict';
(() => {
  const form = document.getElementById('filter');
  const said = document.getElementById('said');
  const mostPrinted = 6;
  const rules = [...document.querySelectorAll('details.rule')];
  const areas = [...document.querySelectorAll('div.area')];
  const texts = new Map();
  const textOf = (rule) => {
    if (!texts.has(rule)) texts.set(rule, rule.textContent.toLowerCase());
    return texts.get(rule);
  };

  const names = ['verdict', 'area', 'level', 'side', 'text'];
  // the rule and the filter: #paging.link.present-above-ten?verdict=fail&text=link
  const place = () => {
    const [id = '', query = ''] = location.hash.slice(1).split('?');
    return { id, filters: new URLSearchParams(query) };
  };
  const note = (id) => {
    const filters = new URLSearchParams(names.map((name) => [name, form.elements[name].value]).filter(([, value]) => value !== ''));
    const query = String(filters);
    const hash = query === '' ? id : id + '?' + query;
    if (hash !== location.hash.slice(1)) history.replaceState(null, '', hash === '' ? location.pathname + location.search : '#' + hash);
  };
  const filter = () => {
    const wanted = names.slice(0, -1).map((name) => [name, form.elements[name].value]).filter(([, value]) => value !== '');
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    let shown = 0;
    for (const rule of rules) {
      const fits = wanted.every(([name, value]) => rule.dataset[name] === value) && words.every((word) => textOf(rule).includes(word));
      rule.hidden = !fits;
      if (fits) shown += 1;
    }
    for (const area of areas) area.hidden = area.querySelector('details.rule:not([hidden])') === null;
    form.elements.count.value = shown + ' of ' + rules.length + ' rules shown';
  };
  const narrow = () => {
    filter();
    note(place().id);
  };
  const fill = () => {
    const { filters } = place();
    for (const name of names) form.elements[name].value = filters.get(name) ?? '';
    filter();
  };
  if (form !== null) {
    form.hidden = false;
    form.addEventListener('input', narrow);
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => setTimeout(narrow));
    fill();
  }

  const named = () => {
    try {
      return document.getElementById(decodeURIComponent(place().id));
    } catch {
      return null;
    }
  };
  const follow = () => {
    const target = named();
    if (target === null || !target.matches('details.rule')) {
      const fold = target?.querySelector(':scope > details.fold');
      if (fold != null) fold.open = true;
      if (target !== null && place().filters.size > 0) target.scrollIntoView();
      return;
    }
    if (target.hidden) {
      form.reset();
      filter();
    }
    note(place().id);
    target.open = true;
    target.scrollIntoView();
    target.querySelector('summary').focus({ preventScroll: true });
  };
  window.addEventListener('hashchange', () => {
    if (place().filters.size > 0 && form !== null) fill();
    follow();
  });
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link !== null && link.getAttribute('href').slice(1) === place().id) {
      event.preventDefault();
      follow();
    }
    const rule = event.target.closest('details.rule > summary')?.parentElement;
    if (rule !== undefined && form !== null) note(rule.open ? '' : rule.id);
  });
  // The browser takes the focus away when it scrolls to the element by itself, at the latest when all is loaded.
  follow();
  window.addEventListener('load', () => requestAnimationFrame(follow));

  const selected = (code) => {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };
  const copiedByCommand = (text) => {
    const area = document.createElement('textarea');
    const before = document.activeElement;
    area.value = text;
    area.readOnly = true;
    area.className = 'outside';
    area.setAttribute('aria-hidden', 'true');
    document.body.append(area);
    area.select();
    let done = false;
    try {
      done = document.execCommand('copy');
    } catch {}
    area.remove();
    before?.focus({ preventScroll: true });
    return done;
  };
  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copiedByCommand(text);
    }
  };
  const tell = (button, text) => {
    button.textContent = text;
    said.textContent = text;
    setTimeout(() => {
      button.textContent = button.dataset.label;
      said.textContent = '';
    }, 4000);
  };
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('button.copy, button.copy-all');
    if (button === null) return;
    button.dataset.label ??= button.textContent;
    const whole = button.matches('.copy-all');
    const codes = whole ? [...button.parentElement.previousElementSibling.querySelectorAll('code')] : [button.parentElement.querySelector('code')];
    if (await copied(codes.map((code) => code.textContent).join('\n'))) return tell(button, 'Copied');
    selected(whole ? button.parentElement.previousElementSibling : codes[0]);
    tell(button, 'Selected: press Ctrl+C');
  });

  // an open rule takes half a page: the first of those that failed are printed, and the list of findings names all
  let closed = [];
  window.addEventListener('beforeprint', () => {
    const failed = rules.filter((rule) => rule.dataset.verdict === 'fail' && !rule.hidden);
    for (const rule of failed.slice(0, mostPrinted)) rule.open = true;
    closed = rules.filter((rule) => rule.open && !failed.slice(0, mostPrinted).includes(rule));
    for (const rule of closed) rule.open = false;
    for (const more of document.querySelectorAll('details.more')) more.open = true;
  });
  window.addEventListener('afterprint', () => {
    for (const rule of closed) rule.open = true;
    closed = [];
  });
})();
`;
