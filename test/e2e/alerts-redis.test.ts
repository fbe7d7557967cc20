import { onRedis } from "../support/bot-forms.ts";
import { alertSuite } from "./alert-suite.ts";

alertSuite(onRedis);
