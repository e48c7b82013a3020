"use strict";

const runs = JSON.parse(document.getElementById("data").textContent);
const count = (number) => number.toLocaleString("en");
const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
const WHO = { system: "system", user: "user", model: "model", reply: "tool" };

/* An element with a class and a text; texts of runs never become markup. */
function make(tag, kind, text) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  if (text !== undefined) element.textContent = text;
  return element;
}

/* The messages of a request: each one keeps a beginning of the one before, and adds to it. */
function sent(run, number) {
  const list = [];
  for (const step of run.steps.slice(0, number)) {
    list.length = step.keep;
    for (const place of step.add) list.push(place);
  }
  return list.map((place) => run.entries[place]);
}

function facts(run, number) {
  const request = run.requests[number - 1];
  const box = document.createDocumentFragment();
  const bar = make("div", "bar");
  const legend = make("ul", "parts");
  const most = Math.max(run.budget, request.tokens);
  request.parts.forEach((tokens, index) => {
    const piece = make("span");
    piece.style.width = `${(100 * tokens) / most}%`;
    piece.style.background = `var(--${run.parts[index][0]})`;
    bar.append(piece);
    if (!tokens) return;
    const swatch = make("span", "swatch");
    swatch.style.background = piece.style.background;
    const item = make("li");
    item.append(swatch, `${run.parts[index][1]} ${count(tokens)}`);
    legend.append(item);
  });
  const over = request.fits ? "" : ", over the budget";
  const before = request.without > request.tokens ? ` instead of ${count(request.without)}` : "";
  const share = Math.round(100 * request.reused);
  box.append(
    make("p", "", `${count(request.tokens)} tokens${before}${over}; ${share} % from the cache; ` +
      `${counted(request.cleared, "result")} cleared, ${counted(request.dropped, "message")} left out.`),
    bar,
    legend,
  );
  if (request.why) box.append(make("p", "why", `The cut moves here: ${request.why}.`));
  return box;
}

/* One piece of a message; long ones stay folded until they are opened. */
function piece(part, unread) {
  const kind = part.kind === "result" && unread ? "unread" : part.kind;
  const box = make("div", `part ${kind}`);
  const text = part.more ? `${part.text}\n… ${count(part.more)} more characters` : part.text;
  if (part.kind === "text" || part.kind === "note") {
    box.append(make("pre", "", text));
    return box;
  }
  if (part.kind === "media") {
    box.append(make("p", "", `[${text}]`));
    return box;
  }
  const size = part.tokens ? `, ${count(part.tokens)} tokens` : "";
  const says = { thinking: "thinking", call: `calls ${part.tool}`, cleared: `cleared: result of ${part.tool}${size}` }[part.kind];
  const fold = make("details");
  fold.append(make("summary", "", says ?? `result of ${part.tool}${size}${unread ? ", not read yet" : ""}`), make("pre", "", text));
  box.append(fold);
  return box;
}

function messages(run, number) {
  const list = sent(run, number);
  const box = document.createDocumentFragment();
  const spoken = list.map((entry) => entry.who).lastIndexOf("model");
  let next = 0;
  list.forEach((entry, index) => {
    if (entry.at !== null && entry.at > next) {
      box.append(make("li", "gap", `${counted(entry.at - next, "message")} left out`));
    }
    if (entry.at !== null) next = entry.at + 1;
    const item = make("li", entry.who);
    const place = entry.at === null ? "added" : `message ${count(entry.at + 1)}`;
    item.append(make("div", "who", `${WHO[entry.who]}, ${place}`), ...entry.parts.map((part) => piece(part, index > spoken)));
    box.append(item);
  });
  return box;
}

function start(section) {
  const run = runs[Number(section.dataset.run)];
  const slider = section.querySelector(".request");
  const cuts = run.requests.flatMap((request, index) => (request.why ? [index + 1] : []));
  const pictures = [...section.querySelectorAll(".picture")];
  for (const picture of pictures) {
    const here = make("div", "here");
    here.style.top = `${100 * picture.dataset.top}%`;
    here.style.height = `${100 * (picture.dataset.bottom - picture.dataset.top)}%`;
    picture.append(here);
  }

  function show(number) {
    slider.value = number;
    remember(section.dataset.run, number);
    slider.setAttribute("aria-valuetext", `request ${number} of ${run.requests.length}`);
    section.querySelector(".number").textContent = count(number);
    section.querySelector(".facts").replaceChildren(facts(run, number));
    const list = section.querySelector(".messages");
    list.replaceChildren(messages(run, number));
    list.scrollTop = list.scrollHeight;
    for (const picture of pictures) {
      const [left, right] = [Number(picture.dataset.left), Number(picture.dataset.right)];
      const share = run.requests.length > 1 ? (number - 1) / (run.requests.length - 1) : 0;
      picture.querySelector(".here").style.left = `${100 * (left + share * (right - left))}%`;
    }
  }

  function pick(picture, event) {
    const [left, right] = [Number(picture.dataset.left), Number(picture.dataset.right)];
    const box = picture.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width - left) / (right - left || 1);
    show(1 + Math.round(Math.min(Math.max(share, 0), 1) * (run.requests.length - 1)));
  }

  slider.addEventListener("input", () => show(Number(slider.value)));
  for (const picture of pictures) {
    picture.addEventListener("click", (event) => pick(picture, event));
    picture.addEventListener("pointermove", (event) => { if (event.buttons) pick(picture, event); });
  }
  for (const button of section.querySelectorAll(".jump")) {
    button.addEventListener("click", () => {
      const here = Number(slider.value);
      const found = button.dataset.to === "after" ? cuts.find((cut) => cut > here) : cuts.findLast((cut) => cut < here);
      if (found) show(found);
    });
    button.disabled = cuts.length === 0;
  }
  for (const button of section.querySelectorAll(".go")) {
    button.addEventListener("click", () => {
      show(Number(button.dataset.request));
      section.querySelector(".player").scrollIntoView({ block: "start" });
    });
  }
  return show;
}

/* The address says what is shown, so that it can be passed on: #run/request, both from one. */
function remember(run, number) {
  if (document.getElementById("run").value === run) history.replaceState(null, "", `#${Number(run) + 1}/${number}`);
}

const sections = [...document.querySelectorAll(".run")];
const shows = sections.map(start);
const chooser = document.getElementById("run");

function choose(run, number) {
  chooser.value = run;
  for (const section of sections) section.hidden = Number(section.dataset.run) !== run;
  shows[run](number ?? Number(sections[run].querySelector(".request").value));
}

function open() {
  const [run, number] = location.hash.slice(1).split("/").map(Number);
  const place = runs[run - 1] ? run - 1 : 0;
  const last = runs[place].requests.length;
  choose(place, number >= 1 && number <= last ? Math.floor(number) : last);
}

chooser.addEventListener("change", () => choose(Number(chooser.value)));
addEventListener("hashchange", open);
open();

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
});
