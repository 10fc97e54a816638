// The page of `thresher lab`: a model over a socket, and the address of what is shown.
import { render } from "./lab.js";
import { packed, unpacked } from "./share.js";
import { socketModel } from "./socket.js";
import { VIEWS } from "./views.js";

const VIEW_NAMES = Object.keys(VIEWS);
const BEGINS = "Here is what the lab begins with.";

async function open() {
  const here = location.href.split("#")[0];
  const model = socketModel(new URL("ask", here.replace(/^http/, "ws")).href, {
    views: VIEW_NAMES,
    address: here,
  });
  const { classroom } = await (await fetch("about")).json();
  if (classroom) model.set("classroom", new URL("class", here.replace(/^http/, "ws")).href);
  model.onstatus = (connected) => model.set("connected", connected);
  let close = () => {};
  let written = "";

  async function begin() {
    close();
    const { complaint, ...found } = await fromAddress();
    for (const [name, value] of Object.entries(found)) model.set(name, value);
    for (const event of ["msg:custom", "change:connected", "change:complaint"]) model.off(event);
    const el = document.createElement("div");
    document.body.replaceChildren(el);
    close = render({ model, el });
    if (complaint) model.set("complaint", complaint);
  }

  model.on("saved", async () => {
    const before = location.hash;
    const link = model.get("lesson") || `#${model.get("view")}=${await packed(model.get("state"))}`;
    if (location.hash !== before && location.hash !== written) return; // a link was put there meanwhile
    written = link;
    history.replaceState(null, "", written);
  });
  addEventListener("hashchange", () => {
    if (location.hash !== written) begin();
  });
  await begin();
}

/** What the part of the address after # requests. */
async function fromAddress() {
  const first = { view: "plane", state: {}, lesson: "", complaint: "" };
  const [, view, code] = /^#([a-z]+)=?(.*)$/s.exec(location.hash) ?? [];
  if (view === "lesson") return { ...first, lesson: location.hash };
  if (!view)
    return {
      ...first,
      complaint: location.hash.length > 1 ? `This link could not be read. ${BEGINS}` : "",
    };
  if (!VIEW_NAMES.includes(view))
    return {
      ...first,
      complaint: `This link asks for a view that the lab does not have: ${view.slice(0, 40)}.`,
    };
  if (!code) return { ...first, view };
  try {
    return { ...first, view, state: await unpacked(code) };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return { ...first, view, complaint: `This link could not be read: ${message}. ${BEGINS}` };
  }
}

open();
