"use strict";
(() => {
  const originals = JSON.parse(document.getElementById("originals")?.textContent || "[]");
  const dialog = document.getElementById("original");
  const tip = document.getElementById("tip");
  const make = (name, kind, text) => {
    const element = document.createElement(name);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const linesOf = (key) => (originals[key].text ?? "").split("\n");
  const isHidden = (key, n) => originals[key].hidden.some(([a, b]) => a <= n && n <= b);

  const row = (kind, number, ...cells) => {
    const line = make("div", `row ${kind}`);
    line.append(make("i", "", number), ...cells);
    return line;
  };

  const open = (key, at) => {
    const one = originals[key];
    const lines = linesOf(key);
    const hidden = one.hidden.reduce((sum, [a, b]) => sum + b - a + 1, 0);
    dialog.querySelector("h2").textContent = one.handle ? `expand ${one.handle}` : "the original";
    dialog.querySelector("p").textContent = one.text === null
      ? "This original is too large to be part of this page."
      : `${lines.length} lines, ${hidden} of them hidden from the model (tinted) · ` +
        `${one.tokens[0].toLocaleString("en")} tokens, ${one.tokens[1].toLocaleString("en")} sent`;
    dialog.querySelector("pre").textContent = one.command;
    const rows = one.text === null ? [] : lines.map((text, i) =>
      row(isHidden(key, i + 1) ? "hidden" : "kept", i + 1, make("code", "l", text)));
    dialog.querySelector(".original").replaceChildren(...rows);
    dialog.querySelector("input").value = "";
    dialog.dataset.key = key;
    dialog.showModal();
    if (at && rows[at - 1]) {
      rows[at - 1].classList.add("at");
      rows[at - 1].scrollIntoView({ block: "center" });
    }
  };

  const unfold = (button) => {
    const { of, from, to } = button.dataset;
    const place = button.parentElement;
    const hidden = place.classList.contains("hidden");
    if (originals[of].text === null) return open(Number(of));
    const rows = linesOf(of).slice(from - 1, to).map((text, i) => row(
      hidden ? "hidden" : "kept", Number(from) + i, make("code", "l", text), make("code", "r", hidden ? "" : text)));
    place.replaceWith(...rows);
  };

  const show = (button) => {
    const view = button.dataset.show;
    button.closest(".exhibit").dataset.view = view;
    for (const other of button.parentElement.children) other.setAttribute("aria-pressed", String(other === button));
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (event.target === dialog || button?.classList.contains("close")) dialog.close();
    else if (button?.dataset.open) open(Number(button.dataset.open), Number(button.dataset.line || 0));
    else if (button?.dataset.of) unfold(button);
    else if (button?.dataset.show) show(button);
  });

  dialog.querySelector("input").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    for (const line of dialog.querySelectorAll(".original .row"))
      line.hidden = !line.querySelector("code").textContent.toLowerCase().includes(wanted), line.style.display = line.hidden ? "none" : "";
  });

  const fill = (text) => {
    const [head, ...rows] = text.split("\n");
    tip.replaceChildren(make("b", "", head), ...rows.map((text) => {
      const line = make("div");
      line.append(...text.split("\t").map((part) => make("span", "", part)));
      return line;
    }));
  };

  document.addEventListener("pointermove", (event) => {
    const text = event.target.closest?.("[data-tip]")?.dataset.tip;
    tip.classList.toggle("on", Boolean(text));
    if (!text) return;
    if (tip.dataset.text !== text) fill((tip.dataset.text = text));
    const room = tip.getBoundingClientRect();
    const left = event.clientX + 16 + room.width > innerWidth ? event.clientX - 16 - room.width : event.clientX + 16;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY - room.height / 2, innerHeight - room.height - 4))}px`;
  });
  document.addEventListener("pointerdown", () => tip.classList.remove("on"));
})();
