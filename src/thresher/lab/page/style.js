// One typeface, one blue and one orange, room to breathe: the rules of all views, by what they are for.
import { BARS } from "./style/bars.js";
import { COLOURS } from "./style/colours.js";
import { CONTROLS } from "./style/controls.js";
import { FIGURES } from "./style/figures.js";
import { FRAME } from "./style/frame.js";
import { PANELS } from "./style/panels.js";
import { PHONE } from "./style/phone.js";
import { PRESENT } from "./style/present.js";
import { RECORDED } from "./style/recorded.js";
import { TIME } from "./style/time.js";

export const STYLE = [COLOURS, CONTROLS, FRAME, PANELS, TIME, FIGURES, BARS, PHONE, RECORDED, PRESENT].join(
  "",
);
