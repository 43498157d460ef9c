// The row of hands alone, on top of a chart.

import { make, mounting } from "../shared.js";
import { PHONE } from "./hands.js";
import { PictureBase } from "./picture_base.js";

/** @extends {PictureBase<import("./message.d.ts").Row>} */
class Row extends PictureBase {
  constructor(host) {
    super(host, make("div", "row"));
    this.tools.remove(); // those of the chart are Plotly's
    this.root.append(this.hands.row, this.hands.foot, this.hands.advanced);
  }

  take(message) {
    this.message = message;
    this.layOut();
  }

  arrange() {
    this.root.classList.toggle("narrow", this.width < PHONE);
  }

  /** It is the chart that is painted. */
  paint() {}
}

export default mounting(Row);
