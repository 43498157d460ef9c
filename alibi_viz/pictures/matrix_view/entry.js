// The module's entry.

import { MatrixView } from "./input.js";
import { mounting } from "../shared.js";

export default mounting(MatrixView);
