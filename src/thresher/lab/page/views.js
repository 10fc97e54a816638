// The views, in the order of their tabs.
import { AdversaryView } from "../adversary/view.js";
import { ADVERSARY_STYLE } from "../adversary/style.js";
import { BooleanView } from "../boolean/view.js";
import { BOOLEAN_STYLE } from "../boolean/style.js";
import { ClassesView } from "../classes/view.js";
import { CLASSES_STYLE } from "../classes/style.js";
import { LandscapeView } from "../landscape/view.js";
import { LANDSCAPE_STYLE } from "../landscape/style.js";
import { GrowthView } from "../growth/view.js";
import { GROWTH_STYLE } from "../growth/style.js";
import { PlaneView } from "../plane/view.js";
import { PLANE_STYLE } from "../plane/style.js";
import { RunsView } from "../runs/view.js";
import { RUNS_STYLE } from "../runs/style.js";

/** @import { ViewKind } from "./view.d.ts" */

/** @type {Record<string, ViewKind>} */
export const VIEWS = {
  plane: { title: "Plane", View: PlaneView, style: PLANE_STYLE },
  classes: { title: "Classes", View: ClassesView, style: CLASSES_STYLE },
  landscape: { title: "Landscape", View: LandscapeView, style: LANDSCAPE_STYLE },
  boolean: { title: "Boolean", View: BooleanView, style: BOOLEAN_STYLE },
  growth: { title: "Growth", View: GrowthView, style: GROWTH_STYLE },
  adversary: { title: "Adversary", View: AdversaryView, style: ADVERSARY_STYLE },
  runs: { title: "Runs", View: RunsView, style: RUNS_STYLE },
};
