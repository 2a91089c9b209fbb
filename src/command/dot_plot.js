"use strict";
// The page of a dot plot: zoom, hover, and regions to copy. Positions in the picture are those of its SVG: x along
// the target, y down, so that the query begins at the bottom. An axis is a row of records, each with the bases that
// it shows (from, to), the place where it begins, counted from the axis' origin, and its length there.
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const plot = byId("plot"), frame = byId("frame"), tip = byId("tip");
  const whole = { x: 0, y: 0, w: data.width, h: data.height };
  const left = data.left, top = 10; // of the plot in its frame
  const step = 1.5, most = 5000;
  let view = { ...whole };

  const count = (number) => number.toLocaleString("en-US");

  // The base of a record at a place of its axis.
  const baseAt = (record, at) => {
    const bases = record.to - record.from + 1;
    const before = Math.floor(((at - record.at) / record.length) * bases);
    const k = Math.min(bases - 1, Math.max(0, before));
    return record.minus ? record.to - k : record.from + k;
  };

  // The records between two places of an axis, with the first and the last base there.
  const between = (axis, low, high) =>
    axis.filter((record) => record.at < high && record.at + record.length > low).map((record) => {
      const ends = [baseAt(record, Math.max(low, record.at)),
        baseAt(record, Math.min(high, record.at + record.length) - 1e-9 * record.length)];
      return { record, from: Math.min(...ends), to: Math.max(...ends) };
    });

  // What both axes show in a part of the picture.
  const regions = (part) => [between(data.target, part.x, part.x + part.w),
    between(data.query, data.height - part.y - part.h, data.height - part.y)];

  // A word as a shell takes it.
  const quoted = (word) => (/^[\w./+,:@%=-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");

  const region = (name, from, to) =>
    (/^\{|:/.test(name) ? "{" + name + "}" : name) + ":" + from + "-" + to;

  const option = (letter, record, from, to) => "-" + letter + " " + quoted(region(record.name, from, to));

  const note = (text) => { byId("copy-note").textContent = text; };

  // Copies the text; it stays in the field, for browsers that refuse.
  const copy = async (text) => {
    const field = byId("copied");
    field.value = text;
    try {
      await navigator.clipboard.writeText(text);
      note("Copied.");
    } catch {
      field.select();
      note(document.execCommand("copy") ? "Copied." : "The browser refuses to copy: press Ctrl+C.");
    }
  };

  const copyRegions = (target, query) => {
    if (target.record.name === null || query.record.name === null)
      note("A record has a name that cannot be copied.");
    else
      copy(option("r", target.record, target.from, target.to) + " " + option("R", query.record, query.from, query.to));
  };

  const copyView = () => {
    const [targets, queries] = regions(view);
    if (targets.length === 1 && queries.length === 1) copyRegions(targets[0], queries[0]);
    else note("Several records are shown: zoom in until there is one of each.");
  };

  // The alignments: an element of the picture and a row of the table each.
  const segments = [...document.querySelectorAll(".segment")];
  const rows = [...byId("alignments").rows];

  const ends = (k) => {
    const [target, from, to, query, start, end] = segments[k].dataset.at.split(" ").map(Number);
    return [{ record: data.target[target], from, to }, { record: data.query[query], from: start, to: end }];
  };

  const choose = (k) => {
    for (const element of [...segments, ...rows]) element.classList.remove("chosen");
    if (k < 0) return;
    segments[k].classList.add("chosen");
    rows[k].classList.add("chosen");
  };

  const add = (parent, name, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text ?? "";
    parent.append(element);
  };

  const words = (shown) => shown.map((one) => one.record.shown + ":" + count(one.from) + "-" + count(one.to)).join(", ");

  // Ticks and name of one record, which may be one of several. place: from a place of the axis to pixels of the frame.
  const drawRecord = (axes, part, place, along, several) => {
    const { record, from, to } = part;
    const scale = record.length / (record.to - record.from + 1);
    const at = (base) => place(record.at + (record.minus ? record.to - base + 0.5 : base - record.from + 0.5) * scale);
    const pixels = Math.abs(at(to) - at(from));
    const text = (where, far, words) => along
      ? add(axes, "text", { x: where, y: top + data.height + far, "text-anchor": "middle" }, words)
      : add(axes, "text", { x: left - far + 9, y: where + 4, "text-anchor": "end" }, words);
    const middle = (at(from) + at(to)) / 2;
    if (!several || (along && pixels > 30))
      add(axes, "text", { x: 0, y: 0, class: "name", "text-anchor": "middle", transform: along
        ? `translate(${middle} ${top + data.height + 40})` : `translate(16 ${middle}) rotate(-90)` }, record.shown);
    else if (pixels > 15) text(middle, 18, record.shown);
    if (several) return;
    const raw = (to - from + 1) / Math.max(1, pixels / 110), power = 10 ** Math.floor(Math.log10(raw));
    const distance = Math.max(1, [1, 2, 5, 10].find((factor) => factor * power >= raw) * power);
    for (let base = Math.ceil(from / distance) * distance; base <= to; base += distance) {
      const where = at(base);
      add(axes, "line", along ? { x1: where, x2: where, y1: top + data.height, y2: top + data.height + 6 }
        : { x1: left - 6, x2: left, y1: where, y2: where });
      text(where, 20, count(base));
    }
  };

  const drawAxes = () => {
    const axes = byId("axes"), [targets, queries] = regions(view);
    axes.replaceChildren();
    for (const part of targets)
      drawRecord(axes, part, (at) => left + ((at - view.x) / view.w) * data.width, true, targets.length > 1);
    for (const part of queries)
      drawRecord(axes, part, (at) => top + ((data.height - at - view.y) / view.h) * data.height, false, queries.length > 1);
    byId("shown").textContent = targets.length > 1 || queries.length > 1
      ? "Shown: " + count(targets.length) + " × " + count(queries.length) + " records"
      : "Shown: target " + words(targets) + "; query " + words(queries);
  };

  // Shows a part of the picture, moved and cut so that it lies inside.
  const show = (part) => {
    const w = Math.min(whole.w, Math.max(whole.w / most, part.w)), h = (w / whole.w) * whole.h;
    view = { w, h, x: Math.min(whole.w - w, Math.max(0, part.x)), y: Math.min(whole.h - h, Math.max(0, part.y)) };
    plot.setAttribute("viewBox", [view.x, view.y, view.w, view.h].join(" "));
    drawAxes();
  };

  // Zooms in by a factor; what lies at those shares of the view stays there.
  const zoom = (factor, x = 0.5, y = 0.5) => {
    const w = Math.min(whole.w, Math.max(whole.w / most, view.w / factor)), h = (w / whole.w) * whole.h;
    show({ x: view.x + (view.w - w) * x, y: view.y + (view.h - h) * y, w, h });
  };

  const move = (x, y) => show({ ...view, x: view.x + x * view.w, y: view.y + y * view.h });

  // Where a pointer is, as shares of the view.
  const shares = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(frame.getScreenCTM().inverse());
    return [(point.x - left) / data.width, (point.y - top) / data.height];
  };

  // Shows an alignment with as much again around it.
  const showAlignment = (k) => {
    const box = segments[k].getBBox();
    const w = 2 * Math.max(box.width, (box.height / whole.h) * whole.w), h = (w / whole.w) * whole.h;
    show({ x: box.x + box.width / 2 - w / 2, y: box.y + box.height / 2 - h / 2, w, h });
    choose(k);
    frame.focus();
  };

  const keys = {
    "+": () => zoom(step), "=": () => zoom(step), "-": () => zoom(1 / step), "0": () => show(whole), c: copyView,
    ArrowLeft: () => move(-0.1, 0), ArrowRight: () => move(0.1, 0),
    ArrowUp: () => move(0, -0.1), ArrowDown: () => move(0, 0.1),
  };

  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });

  plot.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? step : 1 / step, ...shares(event));
  }, { passive: false });

  // A pointer that goes down, moves and goes up drags the view; one that does not move clicks.
  let drag = null;
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [x, y] = shares(event);
    drag = { view, x, y, moved: false, clientX: event.clientX, clientY: event.clientY };
  });
  addEventListener("pointermove", (event) => {
    if (drag === null) return;
    drag.moved ||= Math.hypot(event.clientX - drag.clientX, event.clientY - drag.clientY) > 4;
    if (!drag.moved) return;
    const [x, y] = shares(event);
    show({ ...drag.view, x: drag.view.x - (x - drag.x) * view.w, y: drag.view.y - (y - drag.y) * view.h });
  });
  addEventListener("pointerup", (event) => {
    const moved = drag?.moved;
    drag = null;
    const k = segments.indexOf(event.target.closest?.(".segment"));
    if (moved === false && k >= 0) {
      choose(k);
      copyRegions(...ends(k));
    }
  });

  plot.addEventListener("pointermove", (event) => {
    const [x, y] = shares(event);
    const here = { x: view.x + x * view.w, y: view.y + y * view.h, w: 1e-9, h: 1e-9 };
    const [[target], [query]] = regions(here);
    byId("where").textContent = target && query
      ? "target " + target.record.shown + ":" + count(target.from) + ", query " + query.record.shown + ":" + count(query.from)
      : "";
    const k = segments.indexOf(event.target.closest(".segment"));
    tip.hidden = k < 0;
    if (k < 0) return;
    tip.textContent = segments[k].getAttribute("aria-label");
    tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
    choose(k);
  });
  plot.addEventListener("pointerleave", () => { tip.hidden = true; });

  byId("zoom-in").addEventListener("click", () => zoom(step));
  byId("zoom-out").addEventListener("click", () => zoom(1 / step));
  byId("zoom-all").addEventListener("click", () => show(whole));
  byId("copy-view").addEventListener("click", copyView);

  for (const [k, row] of rows.entries()) {
    // The page shows titles itself.
    const title = segments[k].querySelector("title");
    segments[k].setAttribute("aria-label", title.textContent);
    title.remove();
    const cell = row.insertCell();
    cell.className = "tools";
    for (const [label, act] of [["Show", () => showAlignment(k)], ["Copy", () => copyRegions(...ends(k))]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.setAttribute("aria-label", label + " alignment " + (k + 1));
      button.addEventListener("click", act);
      button.addEventListener("focus", () => choose(k));
      cell.append(button, " ");
    }
    row.addEventListener("pointerenter", () => choose(k));
  }
  show(whole);
})();
