"use strict";
(() => {
  const hover = document.getElementById("hover");
  let near = null;

  // The nearest visible point of a chart, when it is near enough to be meant.
  function nearestPoint(svg, event) {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    let best = null;
    let bestDistance = 60 * 60;
    for (const point of svg.querySelectorAll(".series:not(.off) .point")) {
      const dx = Number(point.dataset.x) - x;
      const dy = Number(point.dataset.y) - y;
      if (dx * dx + dy * dy < bestDistance) {
        bestDistance = dx * dx + dy * dy;
        best = point;
      }
    }
    return event.target.classList?.contains("point") ? event.target : best;
  }

  function leave() {
    near?.classList.remove("near");
    near = null;
    hover.hidden = true;
  }

  function move(event) {
    const point = nearestPoint(event.currentTarget, event);
    if (point === near && !point) return;
    leave();
    if (!point) return;
    near = point;
    point.classList.add("near");
    hover.textContent = point.dataset.text;
    hover.hidden = false;
    const left = Math.min(event.pageX + 12, document.documentElement.clientWidth - hover.offsetWidth - 8);
    hover.style.left = `${Math.max(4, left)}px`;
    hover.style.top = `${event.pageY + 14}px`;
  }

  for (const svg of document.querySelectorAll(".chart svg")) {
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerdown", move);
    svg.addEventListener("pointerleave", leave);
  }

  for (const button of document.querySelectorAll("[data-toggle]"))
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      const figure = button.closest("figure");
      for (const series of figure.querySelectorAll(`[data-series="${button.dataset.toggle}"]`))
        series.classList.toggle("off", !shown);
    });

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

  // A drawing outside the page has no CSS variables: write the colours of the light theme in.
  function plainSvg(figure) {
    const style = getComputedStyle(document.documentElement);
    return figure.querySelector("svg").outerHTML.replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
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
      if (button.dataset.action === "svg") save(nameOf(figure, ".svg"), "image/svg+xml", plainSvg(figure));
    });
})();
