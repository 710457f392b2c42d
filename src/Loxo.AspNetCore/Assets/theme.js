"use strict";
// Runs before the page is drawn, so that it does not flash in the wrong colours.
(() => {
  const key = "loxo-theme";
  let chosen = "auto";
  try {
    chosen = localStorage.getItem(key) || "auto";
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  const apply = theme => {
    if (theme === "light" || theme === "dark")
      document.documentElement.dataset.theme = theme;
    else
      delete document.documentElement.dataset.theme;
  };
  apply(chosen);
  addEventListener("DOMContentLoaded", () => {
    const select = document.getElementById("theme");
    select.value = chosen;
    if (select.selectedIndex < 0)
      select.value = "auto";
    select.addEventListener("change", () => {
      apply(select.value);
      try {
        localStorage.setItem(key, select.value);
      } catch {
        // As above.
      }
    });
  });
})();
