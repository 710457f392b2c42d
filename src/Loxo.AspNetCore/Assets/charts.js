"use strict";
// Draws series of numbers as SVG. Every chart has its numbers in words as its label.
const charts = (() => {
  const svgNamespace = "http://www.w3.org/2000/svg";
  const left = 40, right = 8, top = 8, bottom = 20;

  const element = (name, attributes, text) => {
    const one = document.createElementNS(svgNamespace, name);
    for (const [key, value] of Object.entries(attributes))
      one.setAttribute(key, value);
    if (text !== undefined)
      one.textContent = text;
    return one;
  };

  // The least round number that is not below the value.
  const roundUp = (value, isWhole) => {
    if (!(value > 0))
      return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    const rounded = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map(one => one * power).find(one => one >= value * 0.999999);
    return isWhole ? Math.max(1, Math.ceil(rounded)) : rounded;
  };

  const ago = milliseconds => {
    const seconds = Math.round(milliseconds / 1000);
    return seconds < 90 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
  };

  // layers: [{ values, kind: "area" | "line", name: class of the colour, on: index of the layer that it stands on }]
  const draw = (svg, { times, span, layers, limit, format, isWhole, label }) => {
    svg.setAttribute("aria-label", label);
    const width = svg.clientWidth, height = svg.clientHeight;
    if (width === 0 || height === 0)
      return;
    const parts = [];
    const sums = layers.map(layer => layer.values);
    layers.forEach((layer, i) => {
      if (layer.on !== undefined)
        sums[i] = layer.values.map((value, at) => (value ?? 0) + (sums[layer.on][at] ?? 0));
    });
    const highest = Math.max(0, ...sums.flat().filter(value => value !== null));
    const most = roundUp(limit !== undefined && limit <= highest * 2 ? Math.max(limit, highest) : highest, isWhole);
    const last = times.length > 0 ? times[times.length - 1] : 0;
    const x = time => left + (width - left - right) * (1 - (last - time) / span);
    const y = value => top + (height - top - bottom) * (1 - value / most);
    const steps = isWhole && most % 2 !== 0 ? 1 : 2;
    for (let i = 0; i <= steps; i++) {
      const at = y(most * i / steps);
      parts.push(element("line", { class: "grid", x1: left, x2: width - right, y1: at, y2: at }));
      parts.push(element("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, format(most * i / steps)));
    }
    layers.forEach((layer, i) => {
      const points = sums[i].map((value, at) => value === null ? null : `${x(times[at]).toFixed(1)},${y(value).toFixed(1)}`)
        .filter(point => point !== null);
      if (points.length < 2)
        return;
      const line = `M${points.join("L")}`;
      // A line along the axis would only look like a warning.
      if (layer.kind === "line" && layer.name === "waiting" && sums[i].every(value => !value))
        return;
      if (layer.kind === "line") {
        parts.push(element("path", { class: "halo", d: line }));
        parts.push(element("path", { class: `line-${layer.name}`, d: line }));
        return;
      }
      const base = layer.on === undefined
        ? [`${points[points.length - 1].split(",")[0]},${y(0)}`, `${points[0].split(",")[0]},${y(0)}`]
        : sums[layer.on].map((value, at) => `${x(times[at]).toFixed(1)},${y(value).toFixed(1)}`).reverse();
      parts.push(element("path", { class: `area-${layer.name}`, d: `${line}L${base.join("L")}Z` }));
    });
    if (limit !== undefined && limit <= most)
      parts.push(element("line", { class: "limit", x1: left, x2: width - right, y1: y(limit), y2: y(limit) }));
    parts.push(element("text", { x: left, y: height - 4 }, ago(span)));
    parts.push(element("text", { x: width - right, y: height - 4, "text-anchor": "end" }, "now"));
    svg.replaceChildren(...parts);
  };

  return { draw };
})();
