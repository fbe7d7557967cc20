import { onPostgres } from "../support/bot-forms.ts";
import { alertSuite } from "./alert-suite.ts";

alertSuite(onPostgres);
