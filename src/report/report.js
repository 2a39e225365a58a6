"use strict";
(() => {
  const hover = document.getElementById("hover");
  let near = [];

  // The points under the pointer, else the nearest ones near enough to be meant. Points that lie on
  // each other are told together.
  function nearestPoints(svg, event) {
    const points = [...svg.querySelectorAll(".series:not(.off) .point")];
    if (event.target.classList?.contains("point") && event.target.tagName === "rect") return [event.target];
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    const distances = points.map((point) => Math.hypot(Number(point.dataset.x) - x, Number(point.dataset.y) - y));
    const least = Math.min(60, ...distances);
    const best = points[distances.indexOf(least)];
    if (!best) return [];
    return points.filter((point) => Math.hypot(point.dataset.x - best.dataset.x, point.dataset.y - best.dataset.y) < 2);
  }

  // Shows one series of a figure, or several, before the others.
  function choose(figure, chosen) {
    const names = new Set(chosen);
    figure.classList.toggle("chosen-one", names.size > 0);
    for (const series of figure.querySelectorAll(".series"))
      series.classList.toggle("chosen", names.has(series.dataset.series));
  }

  function leave() {
    if (near.length) choose(near[0].closest("figure"), []);
    for (const point of near) point.classList.remove("near");
    near = [];
    hover.hidden = true;
  }

  function move(event) {
    const points = nearestPoints(event.currentTarget, event);
    leave();
    if (!points.length) return;
    near = points;
    for (const point of points) point.classList.add("near");
    if (event.currentTarget.querySelectorAll(".series").length > 3)
      choose(points[0].closest("figure"), points.map((point) => point.closest(".series").dataset.series));
    hover.textContent = points.map((point) => point.dataset.text).join("\n");
    hover.hidden = false;
    const left = Math.min(event.pageX + 12, document.documentElement.clientWidth - hover.offsetWidth - 8);
    const isLow = event.clientY + 20 + hover.offsetHeight > window.innerHeight;
    hover.style.left = `${Math.max(4, left)}px`;
    hover.style.top = `${isLow ? event.pageY - hover.offsetHeight - 10 : event.pageY + 14}px`;
  }

  for (const svg of document.querySelectorAll(".drawing svg")) {
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerdown", move);
    svg.addEventListener("pointerleave", leave);
  }

  // Presses a button that stays down; gives whether it is now.
  function press(button) {
    const isDown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isDown));
    return isDown;
  }

  for (const button of document.querySelectorAll("[data-toggle]")) {
    const figure = button.closest("figure");
    button.addEventListener("click", () => {
      const isShown = press(button);
      for (const series of figure.querySelectorAll(`[data-series="${button.dataset.toggle}"]`))
        series.classList.toggle("off", !isShown);
      choose(figure, isShown ? [button.dataset.toggle] : []);
    });
    button.addEventListener("pointerenter", () => {
      if (button.getAttribute("aria-pressed") === "true") choose(figure, [button.dataset.toggle]);
    });
    button.addEventListener("pointerleave", () => choose(figure, []));
  }

  const rowsOf = (figure) =>
    [...figure.querySelectorAll("table tr")].map((row) => [...row.cells].map((cell) => cell.textContent));

  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  function save(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  const nameOf = (figure, ending) =>
    (figure.querySelector("figcaption").firstChild.textContent.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-") || "dalaup") + ending;

  // The figure as it would be written to figures/, without the series that are hidden.
  function plainSvg(figure) {
    const shown = figure.querySelector(".drawing:not([hidden]) template").content.cloneNode(true);
    for (const button of figure.querySelectorAll('[data-toggle][aria-pressed="false"]'))
      shown.querySelectorAll(`[data-series="${button.dataset.toggle}"]`).forEach((part) => part.remove());
    if (figure.classList.contains("no-bands")) shown.querySelectorAll(".band").forEach((band) => band.remove());
    return new XMLSerializer().serializeToString(shown.querySelector("svg"));
  }

  async function copy(button, text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    const before = button.textContent;
    button.textContent = "copied";
    setTimeout(() => { button.textContent = before; }, 1200);
  }

  for (const button of document.querySelectorAll("[data-action]"))
    button.addEventListener("click", () => {
      const figure = button.closest("figure");
      const rows = rowsOf(figure);
      if (button.dataset.action === "copy") copy(button, rows.map((row) => row.join("\t")).join("\n"));
      if (button.dataset.action === "csv")
        save(nameOf(figure, ".csv"), "text/csv", rows.map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n");
      if (button.dataset.action === "axes") {
        press(button);
        for (const drawing of figure.querySelectorAll(".drawing")) drawing.hidden = !drawing.hidden;
      }
      if (button.dataset.action === "bands") figure.classList.toggle("no-bands", !press(button));
      if (button.dataset.action === "svg") save(nameOf(figure, ".svg"), "image/svg+xml", plainSvg(figure));
    });
})();
