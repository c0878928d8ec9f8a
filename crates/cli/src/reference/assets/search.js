// The search: all words of the query must be in an entry; the place where they are gives the order. The index is a script,
// since pages from files may not read other files. It is loaded when the search is used for the first time.
"use strict";
(() => {
  const root = document.currentScript.dataset.root;
  const MOST = 40;
  const box = document.querySelector("search");
  const input = document.getElementById("search");
  const list = document.getElementById("results");
  const status = document.getElementById("found");
  let active = -1;
  let loading = null;

  function load() {
    loading ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = root + "search-index.js";
      script.onload = () => done(globalThis.instructionIndex);
      script.onerror = () => done([]);
      document.head.append(script);
    });
    return loading;
  }

  // How well an entry fits a word: 0 is not at all.
  function fit([name, , place, about, others], word) {
    const lower = name.toLowerCase();
    if (lower === word) return 100;
    if (others.split(" ").includes(word)) return 60;
    if (lower.startsWith(word)) return 50;
    if (lower.split(/[_.]/).includes(word)) return 40;
    if (lower.includes(word)) return 30;
    if (others.includes(word)) return 20;
    if (place.toLowerCase().includes(word)) return 15;
    if (about.toLowerCase().includes(word)) return 10;
    return 0;
  }

  function find(index, query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const found = [];
    for (const entry of index) {
      let total = 0;
      for (const word of words) {
        const points = fit(entry, word);
        if (points === 0) {
          total = 0;
          break;
        }
        total += points;
      }
      if (total > 0) found.push([total, entry]);
    }
    found.sort(([a, x], [b, y]) => b - a || x[0].length - y[0].length || (x[0] < y[0] ? -1 : 1));
    return found.map(([, entry]) => entry);
  }

  function select(at) {
    active = at;
    [...list.children].forEach((item, n) => item.setAttribute("aria-selected", String(n === at)));
    const item = list.children[at];
    if (item) {
      input.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    } else {
      input.removeAttribute("aria-activedescendant");
    }
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    select(-1);
  }

  function part(tag, name, text) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.textContent = text;
    return element;
  }

  function show(found, query) {
    list.replaceChildren(
      ...found.slice(0, MOST).map(([name, path, place, about], n) => {
        const item = document.createElement("li");
        item.id = "result-" + n;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        item.dataset.path = path;
        item.append(part("span", "place", place), part("code", "", name), part("span", "about", about));
        return item;
      }),
    );
    const count = found.length === 1 ? "1 instruction" : found.length + " instructions";
    status.textContent = query ? count : "";
    if (query && found.length === 0) list.append(part("li", "about", "No instruction is found."));
    list.hidden = !query;
    input.setAttribute("aria-expanded", String(!list.hidden));
    select(found.length > 0 ? 0 : -1);
  }

  async function search() {
    const index = await load();
    const query = input.value.trim();
    show(find(index, query), query);
  }

  function go(item) {
    if (item?.dataset.path) location.href = root + item.dataset.path;
  }

  input.addEventListener("focus", load);
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    const last = list.querySelectorAll("[role=option]").length - 1;
    if (event.key === "ArrowDown" && !list.hidden) select(active < last ? active + 1 : 0);
    else if (event.key === "ArrowUp" && !list.hidden) select(active > 0 ? active - 1 : last);
    else if (event.key === "Enter") go(list.children[active]);
    else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
  });
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => go(event.target.closest("li")));
  input.addEventListener("blur", close);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
  box.hidden = false;
})();
