"use strict";
// Builds and updates parts of the page. Texts get into the page as text only; elements that stay keep the focus and their state.
const tables = (() => {
  const byId = id => document.getElementById(id);

  const element = (name, properties = {}, ...children) => {
    const one = document.createElement(name);
    Object.assign(one, properties);
    one.append(...children);
    return one;
  };

  const setText = (one, text) => {
    if (one.textContent !== text)
      one.textContent = text;
  };

  const show = (id, isShown) => { byId(id).hidden = !isShown; };

  // Makes the children of a parent those of the items, in their order; children of the same key stay.
  const keyed = (parent, items, keyOf, create, update) => {
    const known = new Map([...parent.children].map(child => [child.dataset.key, child]));
    let before = null;
    for (const item of items) {
      const key = String(keyOf(item));
      let child = known.get(key);
      if (child === undefined) {
        child = create(item);
        child.dataset.key = key;
      }
      known.delete(key); // a second item of the key gets a child of its own
      update(child, item);
      const place = before === null ? parent.firstElementChild : before.nextElementSibling;
      if (place !== child)
        parent.insertBefore(child, place);
      before = child;
    }
    const rest = () => before === null ? parent.firstElementChild : before.nextElementSibling;
    while (rest() !== null)
      rest().remove();
  };

  // Terms and descriptions: [[term, description, isWarning]].
  const facts = (list, items) => {
    const rows = items.flatMap(([term, value]) => [{ key: `t ${term}`, name: "dt", text: term }, { key: `d ${term}`, name: "dd", text: value }]);
    keyed(list, rows, row => row.key, row => element(row.name), (one, row) => setText(one, row.text));
  };

  // Rows of texts; a text in the columns "numbers" is aligned to the right.
  const rows = (body, items, keyOf, cellsOf, numbers = []) => keyed(body, items, keyOf,
    item => element("tr", {}, ...cellsOf(item).map((_, i) => element(i === 0 ? "th" : "td", i === 0
      ? { scope: "row" } : { className: numbers.includes(i) ? "number" : "" }))),
    (row, item) => cellsOf(item).forEach((text, i) => setText(row.children[i], text)));

  return { byId, element, setText, show, keyed, facts, rows };
})();

const formats = (() => {
  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
  const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

  const count = value => whole.format(value);

  const brief = value => value < 10_000 ? short.format(value) : compact.format(value);

  const time = milliseconds => milliseconds === 0 ? "0 ms"
    : milliseconds < 1 ? `${short.format(milliseconds * 1000)} µs`
    : milliseconds < 1000 ? `${short.format(milliseconds)} ms`
    : milliseconds < 120_000 ? `${short.format(milliseconds / 1000)} s`
    : milliseconds < 7_200_000 ? `${whole.format(milliseconds / 60_000)} min`
    : `${short.format(milliseconds / 3_600_000)} h`;

  const bytes = value => {
    const units = ["bytes", "KB", "MB", "GB", "TB"];
    let unit = 0;
    while (value >= 1000 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    return `${short.format(value)} ${units[unit]}`;
  };

  const part = (some, all) => all > 0 ? `${short.format(100 * some / all)} %` : "–";

  // CheckFailed -> check failed
  const words = name => name.replace(/(?<=.)([A-Z])/g, " $1").toLowerCase();

  return { count, brief, time, bytes, part, words };
})();
