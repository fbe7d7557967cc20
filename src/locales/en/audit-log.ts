import { logDays } from "../../basics/limits/limits-in-texts.ts";

/** Texts of `/store log`. A line has the time, the person and one of these texts. Arguments are safe in markdown. */
export const auditLog = {
  title: "Log",
  empty: `Nothing was recorded in the last ${logDays} days.`,
  kept: `Who did what in the last ${logDays} days, newest first. \`/store disconnect\` deletes this log too.`,
  times: (count: string, first: string) => `${count} times, first ${first}`,
  timesOfSeveral: (count: string, first: string) => `${count} times with different values, first ${first}`,
  unknown: "something that this version of the bot does not recognize",
  connected: "connected the store",
  set: (setting: string, value: string) => `${setting}: **${value}**`,
  alertsOn: (channel: string) => `turned alerts on in ${channel}`,
  alertsMoved: (channel: string) => `moved alerts to ${channel}`,
  alertsChanged: (channel: string) => `changed the alerts in ${channel}`,
  alertsOff: "turned alerts off",
  productCreated: (id: string) => `created the product ${id}`,
  exported: (what: string) => `exported: **${what}**`,
  importStarted: (count: string) => `started importing products: **${count}**`,
  reminders: "Reminders",
  off: "off",
  digestSet: (channel: string) => `turned the digest on in ${channel}`,
  digestOff: "turned the digest off",
  routeAdded: (rule: string) => `added the rule **${rule}**`,
  routeMoved: (rule: string) => `moved the rule **${rule}**`,
  routeRemoved: (rule: string) => `deleted the rule **${rule}**`,
};
