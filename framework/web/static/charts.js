"use strict";
// Draws with uPlot what the server has drawn as SVG, from the numbers beside it, and again when
// app.js has replaced them. It asks the server for nothing. Where it fails, the SVG stays.
(() => {
  if (!window.uPlot) return;
  const color = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const font = "11px " + getComputedStyle(document.body).fontFamily;

  // Values, as the server shows them.
  const count = (v) => (Math.abs(v) < 10000 ? String(v) : String(v).replace(/\B(?=(\d{3})+$)/g, "\u202f"));
  const lengths = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const span = (v) => {
    if (v < 1) return v ? Math.round(v * 1000) + " ms" : "0 s";
    if (v < 10) return +v.toFixed(1) + " s";
    const i = lengths.findIndex(([, length]) => v >= length), [name, length] = lengths[i], whole = Math.floor(v / length);
    const less = whole < 10 && lengths[i + 1], rest = less ? Math.floor((v % length) / less[1]) : 0;
    return whole + " " + name + (rest ? ` ${rest} ${less[0]}` : "");
  };
  const round = (from, to) => Array.from({ length: to - from }, (_, i) => [1, 2, 5].map((n) => +(n * 10 ** (from + i)).toPrecision(1))).flat();
  const units = {
    messages: { label: "messages", show: count, steps: round(0, 12) },
    "messages/s": { label: "messages", show: (v) => count(+v.toFixed(v < 100 ? 1 : 0)) + "/s", steps: round(-1, 9) },
    seconds: { show: span, steps: [...round(-3, 0), 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, ...round(0, 5).map((n) => n * 86400)] },
  };

  // Times in the viewer's zone, and in UTC.
  const time = (options) => new Intl.DateTimeFormat(undefined, options);
  const second = time({ timeStyle: "medium" }), minute = time({ timeStyle: "short" }), date = time({ month: "short", day: "numeric" });
  const full = time({ dateStyle: "medium", timeStyle: "medium" });
  const today = (at) => new Date(at).toDateString() === new Date().toDateString();
  const local = (at) => (today(at) ? second : full).format(at);
  const utc = (at) => new Date(at).toISOString().slice(today(at) ? 11 : 0, 19).replace("T", " ") + " UTC";
  const ticks = (u, moments, axis, space, step) => moments.map((at) => (step >= 864e5 ? date : step >= 6e4 ? minute : second).format(at));

  // bars go from each moment to the next; one that is not 0 can be seen.
  const bars = (step) => (u, series, from, to) => {
    const fill = new Path2D(), [moments, values] = u.data, ground = u.bbox.top + u.bbox.height;
    for (let i = from; i <= to; i++) {
      if (!values[i]) continue;
      const left = u.valToPos(moments[i], "x", true), width = u.valToPos(moments[i] + step, "x", true) - left;
      const top = Math.min(u.valToPos(values[i], "y", true), ground - 2 * uPlot.pxRatio);
      fill.rect(left + width * 0.08, top, width * 0.84, ground - top);
    }
    return { fill, flags: 0 };
  };

  const draw = (figure, plot) => {
    const unit = units[plot.unit], step = plot.step ?? 0;
    const at = (u, i) => (step ? `${local(u.data[0][i])} to ${local(u.data[0][i] + step)}` : local(u.data[0][i]));
    const pointed = (u, i) => i ?? (step ? null : u.data[0].length - 1); // without a cursor a line says what is now
    const axis = { stroke: color("--soft"), font, labelFont: font, grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
    const tell = (u) => {
      const i = pointed(u, u.cursor.idxs?.[1]);
      if (i === null) return;
      u.root.setAttribute("aria-valuemax", u.data[0].length - 1);
      u.root.setAttribute("aria-valuenow", i);
      u.root.setAttribute("aria-valuetext", `${unit.show(u.data[1][i])}, ${at(u, i)}`);
    };
    const u = new uPlot({
      width: figure.clientWidth, height: step ? 170 : 140, ms: 1, padding: [8, null, 0, 0],
      scales: { x: { range: (u, min, max) => [min, max + step] }, y: { range: (u, min, max) => [0, max > 0 ? max : 1] } },
      axes: [
        { ...axis, size: 26, space: 80, values: ticks },
        { ...axis, label: unit.label, labelSize: 16, space: 28, incrs: unit.steps, values: (u, values) => values.map(unit.show),
          size: (u, values) => 12 + 6.5 * Math.max(3, ...(values ?? []).map((v) => v.length)) },
      ],
      series: [
        { label: "Time", value: (u, v, series, i) => ((i = pointed(u, i)) === null ? "–" : `${at(u, i)} · ${utc(u.data[0][i])}`) },
        { label: plot.name, stroke: color("--accent"), width: step ? 0 : 1.75, fill: color(step ? "--accent" : "--accent-area"), points: { show: false },
          paths: step ? bars(step) : undefined, value: (u, v, series, i) => ((i = pointed(u, i)) === null ? "–" : unit.show(u.data[1][i])) },
      ],
      cursor: {
        y: false, drag: { x: false, y: false }, points: step ? { show: false } : { size: 7 }, sync: step ? {} : { key: "history" },
        dataIdx: (u, series, near, x) => (step ? Math.max(0, Math.min(Math.floor((x - u.data[0][0]) / step), u.data[0].length - 1)) : near),
      },
      legend: { markers: { show: false, stroke: () => "", fill: () => "" } }, // CSS has its colors
      hooks: { setCursor: [tell] },
    }, [plot.at, plot.values], figure);

    // By the keyboard a chart is a slider.
    for (const [name, value] of Object.entries({ role: "slider", tabindex: "0", "aria-label": plot.name, "aria-valuemin": "0", "aria-valuemax": "0", "aria-valuenow": "0" })) u.root.setAttribute(name, value);
    tell(u);
    const hide = () => u.setCursor({ left: -10, top: -10 }, true, true);
    u.root.addEventListener("blur", hide);
    u.root.addEventListener("keydown", (e) => {
      const last = u.data[0].length - 1, i = pointed(u, u.cursor.idxs?.[1]) ?? -1;
      const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: last }[e.key];
      if (e.key === "Escape") hide();
      if (to === undefined || e.altKey || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      u.setCursor({ left: u.valToPos(u.data[0][Math.max(0, Math.min(to, last))] + step / 2, "x"), top: 0 }, true, true);
    });
    const fit = () => figure.clientWidth && figure.clientWidth !== u.width && u.setSize({ width: figure.clientWidth, height: u.height });
    new ResizeObserver(() => requestAnimationFrame(fit)).observe(figure); // at once it would observe itself
    figure.classList.add("drawn");
    return u;
  };

  // drawAll draws what is new.
  const drawAll = () => {
    for (const part of document.querySelectorAll("figure > [data-plot]")) {
      const figure = part.parentNode, plot = JSON.parse(part.dataset.plot);
      if (part.dataset.plot === figure.shown || (plot.at ?? []).length < 2) continue;
      if (figure.uplot) figure.uplot.setData([plot.at, plot.values]);
      else figure.uplot = draw(figure, plot);
      figure.shown = part.dataset.plot;
    }
  };
  drawAll();
  document.addEventListener("live", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.querySelectorAll("figure.drawn").forEach((figure) => figure.uplot.redraw()));
})();
