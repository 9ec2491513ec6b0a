"use strict";
// Times in the viewer's zone, with UTC on hover; and live parts: elements with data-live are
// replaced by those of the same page, fetched anew. A hidden tab asks for nothing.
(() => {
  const every = 5000;
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  const hour = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

  const localise = (root) => {
    for (const t of root.querySelectorAll("time[datetime]")) {
      if (t.title) continue;
      const at = new Date(t.dateTime);
      if (isNaN(at)) continue;
      t.title = t.textContent;
      t.textContent = at.toDateString() === new Date().toDateString() ? hour.format(at) : day.format(at);
    }
  };

  // busy parts are left alone: someone types there, has opened something or selects text.
  const busy = (part) => {
    if (part.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) return true;
    if (part.querySelector("details[open]")) return true;
    const s = document.getSelection();
    return s && !s.isCollapsed && part.contains(s.anchorNode);
  };

  const replace = (page) => {
    for (const part of document.querySelectorAll("[data-live][id]")) {
      const anew = page.getElementById(part.id);
      if (!anew || busy(part)) continue;
      localise(anew);
      if (anew.outerHTML === part.outerHTML) continue;
      const focused = part.contains(document.activeElement) && document.activeElement.getAttribute("href");
      part.replaceWith(document.adoptNode(anew));
      if (focused) anew.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    }
    document.dispatchEvent(new Event("live")); // charts.js draws anew
  };

  const away = (why) => {
    const stale = document.getElementById("stale");
    if (!stale) return;
    const p = document.createElement("p");
    p.className = "notice warn";
    p.setAttribute("role", "status");
    p.textContent = "The console does not answer: what you see is old. " + why;
    stale.replaceChildren(p);
  };

  let timer = 0;
  const next = () => {
    clearTimeout(timer);
    if (!document.hidden && document.querySelector("[data-live]")) timer = setTimeout(look, every);
  };
  const look = async () => {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(20000) });
      if (!answer.ok) throw new Error("It says " + answer.status + ".");
      replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch (e) {
      away(e.name === "TypeError" ? "" : e.message);
    }
    next();
  };

  localise(document);
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : look()));
  if (document.documentElement.dataset.still === undefined && document.querySelector("form[method=post].pasted") === null) next();
})();
