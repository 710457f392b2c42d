"use strict";
(() => {
  const { byId, element, setText, show, keyed, facts, rows } = tables;
  const { count, brief, time, bytes, part, words } = formats;
  const base = new URL(".", document.currentScript.src);
  const columns = [
    { key: "text", name: "Statement" },
    { key: "calls", name: "Calls", format: count },
    { key: "total", name: "Total time", format: time },
    { key: "mean", name: "Mean", format: time },
    { key: "median", name: "Median", format: time },
    { key: "p99", name: "99 %", format: time },
    { key: "max", name: "Slowest", format: time },
    { key: "rows", name: "Rows", format: count },
    { key: "errors", name: "Errors", format: count },
  ];
  let state = null;
  let chosen = 0;
  let sort = { key: "total", descending: true };
  let isPaused = false;
  let wasWaiting = false;

  const sumOf = values => values.reduce((sum, value) => sum + value, 0);
  const lastOf = values => values.length > 0 ? values[values.length - 1] : 0;

  // Differences of a counter from one sample to the next, per second; null for the first.
  const ratesOf = (values, ticks) => values.map((value, i) =>
    i === 0 || ticks[i] <= ticks[i - 1] ? null : Math.max(0, value - values[i - 1]) * 1000 / (ticks[i] - ticks[i - 1]));

  const meansOf = history => history.time.map((value, i) => {
    const calls = i === 0 ? 0 : history.calls[i] - history.calls[i - 1];
    return i === 0 ? null : calls > 0 ? (value - history.time[i - 1]) / calls : 0;
  });

  // Of the last five samples or so, since single ones jump.
  const recentOf = (values, ticks) => {
    const from = Math.max(0, values.length - 6), to = values.length - 1;
    return to > from && ticks[to] > ticks[from] ? (values[to] - values[from]) * 1000 / (ticks[to] - ticks[from]) : 0;
  };

  const tilesOf = source => {
    const { history, pool, statements } = source;
    const tiles = [];
    if (pool) {
      tiles.push(["busy", "connections busy", count(pool.busy), `of ${count(pool.maximum)}`, pool.busy >= pool.maximum]);
      tiles.push(["idle", "connections idle", count(pool.idle), pool.opening > 0 ? `+ ${count(pool.opening)} opening` : "", false]);
      tiles.push(["waiting", "callers waiting", count(pool.waiting), "", pool.waiting > 0]);
    }
    if (statements) {
      const from = Math.max(0, history.calls.length - 6);
      const calls = lastOf(history.calls) - (history.calls[from] ?? 0);
      const spent = lastOf(history.time) - (history.time[from] ?? 0);
      const errors = sumOf(statements.errors.map(one => one.count));
      tiles.push(["rate", "statements per second", brief(recentOf(history.calls, history.ticks)), "", false]);
      tiles.push(["mean", "mean time", calls > 0 ? time(spent / calls) : "–", "", false]);
      tiles.push(["errors", "errors since the start", count(errors), "", recentOf(history.errors, history.ticks) > 0]);
    }
    return tiles;
  };

  const drawTiles = source => keyed(byId("tiles"), tilesOf(source), ([key]) => key,
    () => element("div", {}, element("dt"), element("dd", {}, element("span"), " ", element("small"))),
    (tile, [, name, value, more, isWarning]) => {
      const [term, description] = tile.children;
      setText(term, name);
      setText(description.children[0], value);
      setText(description.children[1], more);
      tile.classList.toggle("warn", isWarning);
    });

  const drawCharts = source => {
    const { history, pool, statements } = source;
    const times = history.ticks;
    // A young application has little to show: the charts do not leave most of their width empty.
    const shown = lastOf(times) - (times[0] ?? 0);
    const span = Math.min(state.interval * (state.samples - 1), Math.max(60_000, shown));
    show("trends", Boolean(pool || statements));
    show("pool-figure", Boolean(pool));
    show("rate-figure", Boolean(statements));
    show("time-figure", Boolean(statements));
    if (pool) {
      charts.draw(byId("pool-chart"), {
        times, span, limit: pool.maximum, format: brief, isWhole: true,
        layers: [
          { values: history.busy, kind: "area", name: "busy" },
          { values: history.idle, kind: "area", name: "idle", on: 0 },
          { values: history.opening, kind: "area", name: "opening", on: 1 },
          { values: history.waiting, kind: "line", name: "waiting" },
        ],
        label: `Connections: ${count(pool.busy)} busy, ${count(pool.idle)} idle, ${count(pool.opening)} opening, at most `
          + `${count(pool.maximum)}. Waiting callers: ${count(pool.waiting)}. At most in the time shown: `
          + `${count(Math.max(0, ...history.busy))} busy, ${count(Math.max(0, ...history.waiting))} waiting.`,
      });
    }
    if (statements) {
      const rates = ratesOf(history.calls, times), failing = ratesOf(history.errors, times), means = meansOf(history);
      charts.draw(byId("rate-chart"), {
        times, span, format: brief, isWhole: false,
        layers: [
          { values: rates, kind: "area", name: "soft" }, { values: rates, kind: "line", name: "busy" },
          { values: failing, kind: "line", name: "waiting" },
        ],
        label: `Statements per second: ${brief(lastOf(rates) ?? 0)} now, ${brief(Math.max(0, ...rates))} at most in the time shown; `
          + `with errors ${brief(lastOf(failing) ?? 0)}.`,
      });
      charts.draw(byId("time-chart"), {
        times, span, format: time, isWhole: false,
        layers: [{ values: means, kind: "area", name: "soft" }, { values: means, kind: "line", name: "busy" }],
        label: `Mean time of a statement: ${time(lastOf(means) ?? 0)} now, ${time(Math.max(0, ...means))} at most in the time shown.`,
      });
    }
  };

  const drawHeadings = () => {
    const heads = state.plans ? [...columns, { key: "plan", name: "Plan" }] : columns;
    keyed(byId("statements-table").tHead.rows[0], heads, column => column.key, column => {
      const head = element("th", { scope: "col", className: column.format ? "number" : "" });
      if (!column.format)
        head.textContent = column.name;
      else {
        const button = element("button", { type: "button", textContent: column.name });
        button.addEventListener("click", () => {
          sort = { key: column.key, descending: sort.key !== column.key || !sort.descending };
          draw();
        });
        head.append(button);
      }
      return head;
    }, (head, column) => {
      if (column.key === sort.key)
        head.setAttribute("aria-sort", sort.descending ? "descending" : "ascending");
      else
        head.removeAttribute("aria-sort");
    });
  };

  const createStatement = item => {
    const text = element("details", { className: "sql" }, element("summary", { textContent: item.text || "(all evicted statements)" }));
    const row = element("tr", {}, element("th", { scope: "row" }, text, element("span", { className: "share", ariaHidden: "true" }, element("i"))));
    for (const column of columns.slice(1))
      row.append(element("td", { className: "number" }));
    if (state.plans)
      row.append(element("td"));
    return row;
  };

  const updateStatement = (row, item, all) => {
    row.querySelector(".share > i").style.width = `${all > 0 ? 100 * item.total / all : 0}%`;
    columns.slice(1).forEach((column, i) => setText(row.children[i + 1], column.format(item[column.key])));
    row.children[columns.length - 1].classList.toggle("bad", item.errors > 0);
    if (state.plans)
      updatePlanCell(row.children[columns.length], item);
  };

  const updatePlanCell = (cell, item) => {
    if (cell.firstElementChild)
      return;
    const button = element("button", { type: "button", textContent: "Plan" });
    button.setAttribute("aria-label", `Plan of ${item.text.slice(0, 80)}`);
    button.addEventListener("click", () => item.noPlan ? showPlan(item.text, `There is no plan: ${item.noPlan}`) : askPlan(item));
    cell.append(button);
  };

  const showPlan = (statement, text) => {
    setText(byId("plan-statement"), statement);
    setText(byId("plan-text"), text);
    if (!byId("plan").open)
      byId("plan").showModal();
  };

  const askPlan = async item => {
    showPlan(item.text, "Asking the server…");
    try {
      const answer = await fetch(new URL(`plan?source=${chosen}&statement=${encodeURIComponent(item.id)}`, base),
        { method: "POST", headers: { "X-Loxo-Dashboard": "1" } });
      showPlan(item.text, answer.ok || answer.headers.get("content-type")?.startsWith("text/plain")
        ? await answer.text() : `There is no plan: the server answered with ${answer.status}.`);
    } catch {
      showPlan(item.text, "There is no plan: the application cannot be reached.");
    }
  };

  const drawStatements = source => {
    const { statements } = source;
    show("statements", true);
    show("statements-off", !statements);
    show("statements-scroll", Boolean(statements));
    setText(byId("statements-note"), !statements ? "" : statements.known === 0 ? "none yet"
      : `${count(statements.items.length)} of ${count(statements.known)} shown`
        + (statements.evicted > 0 ? `, ${count(statements.evicted)} evicted: at most ${count(statements.capacity)} are told apart` : ""));
    if (!statements)
      return;
    drawHeadings();
    const items = [...statements.items].sort((one, other) => (sort.descending ? -1 : 1) * (one[sort.key] - other[sort.key]));
    keyed(byId("statements-table").tBodies[0], statements.others ? [...items, statements.others] : items, item => `${chosen} ${item.id}`,
      createStatement, (row, item) => updateStatement(row, item, statements.total));
  };

  const createConnection = () => element("tr", {},
    element("th", { scope: "row" }, element("span", { className: "sql" }),
      element("details", {}, element("summary", { textContent: "Opened by" }), element("pre"))),
    element("td", {}, element("span", { className: "state" })), element("td", { className: "number" }),
    element("td", { className: "number" }), element("td", { className: "number" }));

  const updateConnection = (row, one) => {
    const [first, state, since, age, process] = row.children;
    setText(first.children[0], one.statement ?? "–");
    first.children[1].hidden = !one.stack;
    setText(first.children[1].children[1], one.stack ?? "");
    state.firstElementChild.dataset.state = one.state;
    setText(state.firstElementChild, words(one.state));
    setText(since, one.rentedFor > 0 ? time(one.rentedFor) : one.state === "Idle" ? time(one.idleFor) : "–");
    setText(age, time(one.age));
    setText(process, one.process > 0 ? String(one.process) : "–");
  };

  const drawConnections = pool => {
    const connections = (pool?.connections ?? []).map((one, i) => ({ ...one, i }));
    show("connections", connections.length > 0);
    setText(byId("connections-note"), !pool ? "" : `${count(connections.length)} of ${count(pool.busy + pool.idle)} shown`);
    keyed(byId("connections-table").tBodies[0], connections, one => one.process > 0 ? one.process : `#${one.i}`,
      createConnection, updateConnection);
  };

  const drawErrors = statements => {
    const errors = statements?.errors ?? [];
    show("errors", Boolean(statements));
    show("errors-table", errors.length > 0);
    show("errors-none", errors.length === 0);
    rows(byId("errors-table").tBodies[0], errors, error => error.kind, error => [error.kind, error.name ?? "", count(error.count)], [2]);
  };

  const drawPool = pool => {
    show("pool", Boolean(pool));
    if (!pool)
      return;
    facts(byId("pool-list"), [
      ["Size", `${count(pool.minimum)} to ${count(pool.maximum)}`], ["Rented", count(pool.rented)], ["Opened", count(pool.opened)],
      ["Could not be opened", count(pool.openFailed)], ["Callers who waited in vain", count(pool.timedOut)],
      ...Object.entries(pool.closed).map(([reason, number]) => [`Closed: ${words(reason)}`, count(number)]),
    ]);
    keyed(byId("pool-failures"), pool.failures, failure => failure.when, () => element("li"),
      (item, failure) => setText(item, `${new Date(failure.when).toLocaleTimeString()} ${failure.error}`));
  };

  const drawLanes = lanes => {
    show("lanes", Boolean(lanes));
    if (!lanes)
      return;
    facts(byId("lanes-list"), [
      ["Lanes for queries", count(lanes.queryLanes)], ["Lanes for changes", count(lanes.mixedLanes)],
      ["Commands in them now", count(lanes.inFlight)], ["Commands so far", count(lanes.commands)],
      ["Commands per receive", lanes.receives > 0 ? brief(lanes.commands / lanes.receives) : "–"],
      ["Commands in shared transactions", part(lanes.grouped, lanes.commands)],
      ...Object.entries(lanes.ownSessions).map(([reason, number]) => [`Session of its own: ${words(reason)}`, count(number)]),
    ]);
  };

  const drawSessions = sessions => {
    show("sessions", Boolean(sessions));
    if (!sessions)
      return;
    const returns = sessions.resetsAvoided + sessions.resetsSent;
    facts(byId("sessions-list"), [
      ["Statements prepared before", part(sessions.hits, sessions.statements)], ["Statements prepared", count(sessions.prepared)],
      ["Prepared statements evicted", count(sessions.evicted)], ["Prepared statements parsed again", count(sessions.healed)],
      ["Returned without a reset", part(sessions.resetsAvoided, returns)], ["Resets", count(sessions.resetsSent)],
      ...Object.entries(sessions.resetReasons).map(([reason, number]) => [`Reset: ${words(reason)}`, count(number)]),
      ["Rows returned", count(sessions.rows)], ["Sent", bytes(sessions.sent)], ["Received", bytes(sessions.received)],
    ]);
  };

  const drawStreams = streams => {
    show("streams", streams.length > 0);
    rows(byId("streams-table").tBodies[0], streams, stream => stream.slot,
      stream => [stream.slot, bytes(stream.behind), stream.acknowledged], [1]);
  };

  const drawSources = sources => {
    show("source-label", sources.length > 1);
    keyed(byId("source"), sources.map((source, i) => ({ ...source, i })), source => source.i,
      source => element("option", { value: String(source.i) }), (option, source) => setText(option, source.name));
  };

  // Only what begins or ends is said, not every number.
  const announce = source => {
    const isWaiting = (source.pool?.waiting ?? 0) > 0;
    if (isWaiting !== wasWaiting)
      setText(byId("alert"), isWaiting ? "Callers are waiting for a connection." : "No caller waits for a connection any more.");
    wasWaiting = isWaiting;
  };

  const draw = () => {
    drawSources(state.sources);
    drawStreams(state.streams);
    const source = state.sources[chosen] ?? state.sources[0];
    show("empty", !source);
    show("now", Boolean(source));
    if (!source) {
      setText(byId("empty"), "The application has no data source that the dashboard knows of: register one as a singleton, or add it to the options.");
      return;
    }
    setText(byId("server"), source.server);
    drawTiles(source);
    drawCharts(source);
    drawStatements(source);
    drawConnections(source.pool);
    drawErrors(source.statements);
    drawSessions(source.sessions);
    drawPool(source.pool);
    drawLanes(source.lanes);
    announce(source);
  };

  const setStatus = (text, kind) => {
    const status = byId("status");
    setText(status, text);
    status.className = kind;
  };

  let events = null;

  const connect = () => {
    events = new EventSource(new URL("events", base));
    events.onmessage = message => {
      state = JSON.parse(message.data);
      setStatus("Live", "live");
      draw();
    };
    events.onerror = () => {
      setStatus("No connection", "lost");
      // The browser tries again by itself, except after a refusal.
      if (events.readyState === EventSource.CLOSED)
        setTimeout(() => { if (!isPaused) connect(); }, 5000);
    };
  };

  byId("source").addEventListener("change", event => {
    chosen = Number(event.target.value);
    draw();
  });
  byId("pause").addEventListener("click", event => {
    isPaused = !isPaused;
    event.target.setAttribute("aria-pressed", String(isPaused));
    if (isPaused) {
      events.close();
      setStatus("Paused", "");
    } else {
      setStatus("Connecting…", "");
      connect();
    }
  });
  new ResizeObserver(() => { if (state) draw(); }).observe(byId("content"));
  connect();
})();
