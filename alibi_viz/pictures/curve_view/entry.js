// The module's entry.

import { View } from "./view.js";
import { mounting } from "../shared.js";

export default mounting(View);
