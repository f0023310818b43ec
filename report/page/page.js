"use strict";
(() => {
  const by = (id) => document.getElementById(id);
  const items = Array.from(document.querySelectorAll(".resource"), (node) => ({
    node, kind: node.dataset.kind, search: node.dataset.search,
    changed: !["unchanged", "absent"].includes(node.dataset.action), conflicts: node.dataset.conflicts !== "0",
  }));

  // matches reports whether a resource is to be seen.
  const matches = (item, show, kind, text) =>
    (show === "all" || item.conflicts || (show === "changed" && item.changed)) &&
    (kind === "*" || item.kind === kind) && item.search.includes(text);

  const filter = () => {
    const show = document.querySelector("input[name=show]:checked").value;
    const kind = by("kind").value, text = by("text").value.trim().toLowerCase();
    let seen = 0;
    for (const item of items) {
      const visible = matches(item, show, kind, text);
      if (item.node.hidden === visible) item.node.hidden = !visible;
      if (visible) seen++;
    }
    by("count").textContent = `${seen} of ${items.length}`;
  };

  let wanted = 0;
  const filterSoon = () => {
    cancelAnimationFrame(wanted);
    wanted = requestAnimationFrame(filter);
  };

  const open = (value) => {
    for (const item of items) {
      if (!item.node.hidden) item.node.firstElementChild.open = value;
    }
  };

  // indent puts four more spaces before each line.
  const indent = (text) => text.replace(/^(?=.)/gm, "    ");

  // decide writes a function config with the rules of the choices that differ from the result.
  const decide = () => {
    const rules = Array.from(document.querySelectorAll(".value input:checked"), (input) => input.dataset.rule).filter(Boolean);
    const unique = Array.from(new Set(rules));
    const config = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nmetadata:\n  name: resource-merge\nconflicts:\n  rules:\n";
    by("rules").value = by("decision").dataset.next + config + unique.map(indent).join("");
    by("decided").textContent = unique.length === 1 ? "1 rule from your choices" : `${unique.length} rules from your choices`;
    by("decision").hidden = unique.length === 0;
    document.documentElement.classList.toggle("deciding", unique.length > 0);
  };

  // next goes to the next conflict in a direction, 1 or -1, and begins again at the end.
  let current = -1;
  const next = (direction) => {
    const all = Array.from(document.querySelectorAll(".resource:not([hidden]) .conflict"));
    if (all.length === 0) return;
    current = current < 0 && direction < 0 ? all.length - 1 : (current + direction + all.length) % all.length;
    const conflict = all[current];
    conflict.closest("details").open = true;
    conflict.tabIndex = -1;
    conflict.focus({preventScroll: true});
    conflict.scrollIntoView({block: "start"});
  };

  const key = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=radio]), select, textarea")) return;
    if (event.key === "n") next(1);
    if (event.key === "p") next(-1);
  };

  const copied = (done) => {
    by("copy").textContent = done ? "Copied" : "Copy";
  };

  const copy = async () => {
    const rules = by("rules");
    try {
      await navigator.clipboard.writeText(rules.value);
    } catch {
      document.querySelector(".decision details").open = true;
      rules.select();
      if (!document.execCommand("copy")) return;
    }
    copied(true);
  };

  by("filters").hidden = false;
  by("next").hidden = document.querySelector(".conflict") === null;
  by("filters").addEventListener("input", filterSoon);
  by("filters").addEventListener("submit", (event) => event.preventDefault());
  by("expand").addEventListener("click", () => open(true));
  by("collapse").addEventListener("click", () => open(false));
  by("resources").addEventListener("change", (event) => {
    if (!event.target.matches(".value input")) return;
    copied(false);
    decide();
  });
  by("next").addEventListener("click", () => next(1));
  document.addEventListener("keydown", key);
  by("copy").addEventListener("click", copy);
  filter();
  decide(); // a browser may keep choices when the page is loaded again
})();
