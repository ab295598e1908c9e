
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const box = document.querySelector(".search input");
  const told = document.querySelector(".search output");
  const nothing = document.querySelector(".nothing");
  const fates = [...document.querySelectorAll(".legend input")];
  const turns = [...document.querySelectorAll(".turn")].map((turn) => ({
    turn,
    wasOpen: turn.open,
    events: [...turn.querySelectorAll(".e")].map((event) => ({
      event,
      fate: [...event.classList].find((name) => name.startsWith("f-")).slice(2),
      text: "",
    })),
  }));

  const sift = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = new Set(fates.filter((fate) => fate.checked).map((fate) => fate.value));
    const all = words.length === 0 && shown.size === fates.length;
    let hits = 0;
    for (const { turn, wasOpen, events } of turns) {
      let inTurn = 0;
      for (const it of events) {
        if (words.length > 0 && it.text === "") it.text = it.event.textContent.toLowerCase();
        const is = shown.has(it.fate) && words.every((word) => it.text.includes(word));
        it.event.hidden = !is;
        inTurn += is ? 1 : 0;
      }
      turn.hidden = inTurn === 0;
      turn.open = words.length > 0 ? inTurn > 0 : wasOpen;
      hits += inTurn;
    }
    for (const fate of fates) root.classList.toggle("hide-" + fate.value, !fate.checked);
    nothing.hidden = hits > 0;
    told.textContent = all ? "" : hits === 1 ? "1 event" : hits.toLocaleString("en") + " events";
  };

  const go = () => {
    const at = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!at) return;
    for (let up = at; up; up = up.parentElement) {
      if (up.tagName === "DETAILS") up.open = true;
      up.hidden = false;
    }
    at.scrollIntoView({ block: "start" });
  };

  let waiting = 0;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(sift, 120);
  });
  for (const fate of fates) fate.addEventListener("change", sift);
  box.form.addEventListener("submit", (event) => event.preventDefault());
  box.form.addEventListener("click", (event) => {
    const fold = event.target.dataset.fold;
    if (fold === undefined) return;
    for (const it of turns) it.turn.open = it.wasOpen = fold === "open";
  });
  addEventListener("hashchange", go);
  go();
})();
