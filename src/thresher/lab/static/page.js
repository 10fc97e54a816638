// The page of `thresher lab`: a model over a socket, and the address of what is shown.
import { render } from "./lab.js";
import { packed, unpacked } from "./share.js";
import { socketModel } from "./socket.js";

const VIEW_NAMES = ["plane", "boolean", "adversary", "runs"];

async function open() {
  const here = location.href.split("#")[0];
  const model = socketModel(new URL("ask", here.replace(/^http/, "ws")).href, { views: VIEW_NAMES, view: "plane", state: {}, address: here });
  model.onstatus = (connected) => model.set("connected", connected);
  const found = await fromAddress();
  Object.assign(found.state, {});
  model.set("view", found.view);
  model.set("state", found.state);
  const el = document.createElement("div");
  document.body.append(el);
  let close = render({ model, el });
  if (found.complaint) model.set("complaint", found.complaint);
  let written = location.hash;
  model.on("saved", async () => {
    written = `#${model.get("view")}=${await packed(model.get("state"))}`;
    history.replaceState(null, "", written);
  });
  addEventListener("hashchange", async () => {
    if (location.hash === written) return;
    const next = await fromAddress();
    model.set("view", next.view);
    model.set("state", next.state);
    close();
    el.replaceWith(el.cloneNode());
    const fresh = document.createElement("div");
    document.body.replaceChildren(fresh);
    close = render({ model, el: fresh });
    if (next.complaint) model.set("complaint", next.complaint);
  });
}

/** What the part of the address behind # asks to see. */
async function fromAddress() {
  const [, view, code] = /^#([a-z]+)=?(.*)$/.exec(location.hash) ?? [];
  if (!view) return { view: "plane", state: {}, complaint: "" };
  if (!VIEW_NAMES.includes(view)) return { view: "plane", state: {}, complaint: `This link asks for a view that the lab does not have: ${view.slice(0, 40)}.` };
  if (!code) return { view, state: {}, complaint: "" };
  try {
    return { view, state: await unpacked(code), complaint: "" };
  } catch (error) {
    return { view, state: {}, complaint: `This link could not be read: ${/** @type {Error} */ (error).message}. Here is what the lab begins with.` };
  }
}

open();
