// Draws every figure of the page, in the page's own colors, and the maps with their choices.
"use strict";
(() => {
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const colors = json("colors");
  const touch = matchMedia("(pointer: coarse)").matches;
  const CONFIG = {
    responsive: true, displaylogo: false, displayModeBar: !touch,
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
  };

  // --- colors of text and axes ---

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function themed(layout) {
    const [text, soft, grid, card, line] = ["--text", "--soft", "--grid", "--card", "--line"].map(color);
    const out = {
      ...layout,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 12.5, color: text },
      hoverlabel: { bgcolor: card, bordercolor: line, align: "left", font: { color: text, size: 13 } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: soft, activecolor: text },
    };
    for (const axis of ["xaxis", "yaxis"]) out[axis] = { ...layout[axis], gridcolor: grid, zerolinecolor: grid };
    if (touch) out.dragmode = false;  // a finger scrolls the page
    return out;
  }

  const drawn = [];  // [element, function that gives its traces and layout]

  function draw(plot, make) {
    const { data, layout } = make();
    for (const trace of data) if (trace.type === "heatmap") trace.textfont = { color: color("--text") };
    return Plotly.react(plot, data, themed(layout), CONFIG);
  }

  // --- maps ---

  const ARRAYS = { "<i2": Int16Array, "<u2": Uint16Array, "<i4": Int32Array };
  function unpacked({ type, data }) {
    const text = atob(data), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    return new ARRAYS[type](bytes.buffer);
  }

  const UNKNOWN = 65535, SVG_DOTS = 5000;  // more dots than that are drawn by WebGL, or not at all
  let hasWebgl;
  function webgl() {
    hasWebgl ??= !!document.createElement("canvas").getContext("webgl");
    return hasWebgl;
  }

  const graphs = {};
  function graphOf(key) {
    if (!key) return {};
    if (!graphs[key]) {
      const raw = json(key);
      for (const name of ["degree", "label", "labelCount"]) if (raw[name]) raw[name] = unpacked(raw[name]);
      graphs[key] = raw;
    }
    return graphs[key];
  }

  function readMap(figure) {
    const raw = json(figure.id + "-data"), graph = graphOf(raw.graph);
    const map = { ...graph, node: unpacked(raw.node), views: raw.views, run: raw.color };
    for (const view of map.views) view.x = unpacked(view.x), view.y = unpacked(view.y);
    if (raw.disagreement) map.disagreement = Float32Array.from(unpacked(raw.disagreement), (v) => v / 32000);
    return map;
  }

  function hover(map, i) {
    const lines = [map.ids ? `${map.ids[i]} (node ${map.node[i]})` : `node ${map.node[i]}`];
    if (map.label) lines.push(map.label[i] === UNKNOWN ? "no label" : `label ${map.classes[map.label[i]]}`);
    if (map.labels) lines.push(map.labels[i].length ? "labels " + map.labels[i].map((c) => map.classes[c]).join(", ") : "no label");
    if (map.degree) lines.push(`degree ${map.degree[i]}`);
    if (map.disagreement) lines.push(`view disagreement ${map.disagreement[i].toFixed(3)}`);
    return lines.join("<br>");
  }

  function dots(map, view, chosen, more) {
    const pick = (values) => Array.from(chosen, (i) => values[i]);
    const many = view.count > SVG_DOTS && webgl();
    return {
      type: many ? "scattergl" : "scatter", mode: "markers", x: pick(view.x), y: pick(view.y),
      text: Array.from(chosen, (i) => hover(map, i)), hovertemplate: "%{text}<extra></extra>", ...more,
    };
  }

  const sizeOf = (n) => (n > 5000 ? 3 : n > 1500 ? 4.5 : 6.5);

  // The middle of the range takes most of the colors: a few hubs would else leave one for all others.
  function scaled(map, view, chosen, values, title, log) {
    const shown = Array.from(chosen, (i) => (log ? Math.log10(values[i] + 1) : values[i]));
    const sorted = Float64Array.from(shown).sort();
    const low = sorted[Math.floor(0.01 * (sorted.length - 1))], high = sorted[Math.ceil(0.99 * (sorted.length - 1))];
    const bar = { title: { text: title, side: "top" }, orientation: "h", thickness: 9, len: 0.6, x: 0, xanchor: "left", y: 1.0, yanchor: "bottom", outlinewidth: 0 };
    if (!log && shown.every(Number.isInteger)) bar.tick0 = 0, bar.dtick = Math.max(1, Math.ceil((high - low) / 8));
    if (log) {
      const ticks = [0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000].filter((t) => Math.log10(t + 1) >= low && Math.log10(t + 1) <= high);
      bar.tickvals = ticks.map((t) => Math.log10(t + 1)), bar.ticktext = ticks.map(String);
    }
    const marker = {
      color: shown, cmin: low, cmax: high > low ? high : low + 1, size: sizeOf(chosen.length), opacity: 0.8,
      colorscale: [[0, "#3b6fd4"], [0.35, "#27a3a3"], [0.65, "#d9a51f"], [1, "#e0483e"]], colorbar: bar,
    };
    return [dots(map, view, chosen, { marker, showlegend: false })];
  }

  // A trace a class would hide the first class beneath the last: many dots are drawn in rounds, some of every class in each.
  function byLabel(map, view, chosen) {
    const groups = new Map();
    for (const i of chosen) {
      if (!groups.has(map.label[i])) groups.set(map.label[i], []);
      groups.get(map.label[i]).push(i);
    }
    const labels = [...groups.keys()].sort((a, b) => a - b);
    const rounds = chosen.length > 1000 ? Math.min(8, Math.max(1, Math.floor(80 / labels.length))) : 1;
    const out = [];
    for (let round = 0; round < rounds; ++round)
      for (const label of labels) {
        const part = groups.get(label).filter((_, i) => i % rounds === round);
        const known = label !== UNKNOWN;
        const marker = {
          color: known ? colors[label % colors.length] : "#8b929c", size: sizeOf(chosen.length), opacity: 0.75,
          symbol: known ? ["circle", "diamond", "square", "triangle-up"][Math.floor(label / colors.length) % 4] : "circle",
        };
        const name = known ? map.classes[label] : "no label";
        out.push(dots(map, view, part, { name, marker, legendgroup: `class ${label}`, showlegend: round === 0 }));
      }
    return out;
  }

  const COLORINGS = {
    label: { name: "label", has: (m) => m.label, traces: byLabel },
    labelCount: { name: "number of labels", has: (m) => m.labelCount, traces: (m, v, c) => scaled(m, v, c, m.labelCount, "labels", false) },
    degree: { name: "degree", has: (m) => m.degree, traces: (m, v, c) => scaled(m, v, c, m.degree, "degree", true) },
    disagreement: {
      name: "view disagreement", has: (m) => m.disagreement,
      traces: (m, v, c) => scaled(m, v, c, m.disagreement, "1 - cosine of the views", false),
    },
    none: {
      name: "nothing", has: (m) => !m.degree && !m.disagreement,
      traces: (m, v, c) => [dots(m, v, c, { marker: { color: m.run, size: sizeOf(c.length), opacity: 0.6 }, showlegend: false })],
    },
  };

  function mapLayout(state, plot) {
    const axis = { showticklabels: false, showgrid: false, zeroline: false, ticks: "" };
    return {
      height: plot.clientHeight, margin: { l: 4, r: 4, t: 4, b: 4 }, hovermode: "closest", xaxis: { ...axis, scaleanchor: "y" }, yaxis: axis,
      legend: { orientation: "h", y: 1.01, yanchor: "bottom", x: 0, itemsizing: "constant" }, showlegend: true, uirevision: `${state.view} ${state.color}`,
    };
  }

  function choices(parent, title, options, chosen, change) {
    const group = document.createElement("div");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", title);
    group.append(title);
    for (const [key, name] of options) {
      const button = document.createElement("button");
      button.type = "button", button.textContent = name, button.dataset.choice = key;
      button.setAttribute("aria-pressed", String(key === chosen));
      button.addEventListener("click", () => {
        for (const other of group.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
        change(key);
      });
      group.append(button);
    }
    if (options.length > 1) parent.append(group);
  }

  function setUpMap(figure) {
    const map = readMap(figure), plot = figure.querySelector(".plot");
    const colorings = Object.entries(COLORINGS).filter(([, c]) => c.has(map)).map(([key, c]) => [key, c.name]);
    const state = { view: 0, color: colorings[0][0] };
    const make = () => {
      const view = map.views[state.view];
      const count = view.count > SVG_DOTS && !webgl() ? SVG_DOTS : view.count;
      const chosen = Array.from({ length: count }, (_, i) => i);
      figure.querySelector(".about").textContent = `${view.name}: ${view.about}.` + (count < view.count ? ` Without WebGL ${count} nodes are drawn.` : "");
      return { data: COLORINGS[state.color].traces(map, view, chosen), layout: mapLayout(state, plot) };
    };
    const parent = figure.querySelector(".choices");
    choices(parent, "Projection", map.views.map((view, i) => [i, view.name]), 0, (i) => { state.view = Number(i); draw(plot, make); });
    choices(parent, "Color", colorings, state.color, (key) => { state.color = key; draw(plot, make); });
    return [plot, make];
  }

  // --- all of it ---

  function setUp(figure) {
    if (figure.classList.contains("map")) return setUpMap(figure);
    const spec = json(figure.id + "-data");
    return [figure.querySelector(".plot"), () => structuredClone(spec)];
  }

  // One after another, so that the page can be scrolled meanwhile. data-drawn tells how many are done, and "all" at the end.
  async function drawAll() {
    for (const figure of document.querySelectorAll("figure")) {
      const entry = setUp(figure);
      drawn.push(entry);
      await draw(...entry);
      document.documentElement.dataset.drawn = drawn.length;
      await new Promise((go) => setTimeout(go));
    }
    document.documentElement.dataset.drawn = "all";
  }

  const redraw = () => drawn.forEach(([plot, make]) => draw(plot, make));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  drawAll();
})();
