const mebibyte = 1024 ** 2;
const smallSessions = {
  ofPerson: { count: 20, bytes: 64 * 1024 },
  ofServer: { count: 200, bytes: 512 * 1024 },
} as const;

/**
 * A budget limits how much of a shared resource one person, server, store or process may use. `burst` may be used at once, and
 * `perSecond` becomes free again each second. `reports/work-limits.ts` has the budgets of exports, imports and `/stats`.
 */
export const budgets = {
  /**
   * Commands, buttons, menus and windows of one person in one server, counted before any other work. A person may turn pages
   * four times a second. The burst is for a person who goes through a day's orders.
   */
  interactions: { burst: 40, perSecond: 4 },
  /** For one person in one server. Discord asks for suggestions about once for every two typed letters. */
  suggestions: { burst: 20, perSecond: 5 },
  /**
   * First answers that refuse an interaction. In each server, at most `atOnce` are sent at a time, and the others wait. After
   * `longestWaitMs` a waiting answer is dropped, because Discord accepts a first answer only within 3 s.
   */
  refusals: { atOnce: 20, longestWaitMs: 2_000 },
  /**
   * Shares of Discord's limit on requests per second. `burst` and `perSecond` add up to 1, so no period of one second exceeds
   * the limit. Answers to interactions do not count.
   */
  discordRequests: { burst: 1 / 5, perSecond: 4 / 5 },
  /**
   * Answers of Discord with status 401, 403 or 429, to all requests of the process. A 429 does not count if other programs used
   * up the limit. Discord bans an address that gets 10,000 of these answers within 10 minutes. After `most` of them within
   * `windowMs`, a request that was refused last time is not sent.
   */
  invalidRequests: { windowMs: 600_000, most: 1_000 },
  /**
   * Commands whose request Discord refused, for example a message to a channel that is closed to the bot. Members with Manage
   * Server have a separate limit, so that others cannot lock them out of the settings.
   */
  refusedAttempts: {
    ofPerson: { burst: 5, perSecond: 1 / 120 },
    ofServer: { burst: 20, perSecond: 1 / 60 },
    ofManagers: { burst: 40, perSecond: 1 / 30 },
  },
  /**
   * Failed attempts to connect a store. `ofPerson` counts those of one person in all servers together. A person who fails more
   * often is guessing tokens. After too many bad tokens, a store may block the address of this process. Then the bot's
   * requests fail for all servers.
   */
  refusedTokens: { ofPerson: { burst: 10, perSecond: 1 / 60 }, ofProcess: { burst: 100, perSecond: 1 } },
  /** Requests to the store for which people wait, counted for each API token. */
  storeRequestsOfPeople: { burst: 60, perSecond: 5 },
  /**
   * The budgets from here to `importedRows` limit what people store. Beyond `ofPerson` or `ofServer`, the oldest entries are
   * deleted. All servers together may store `ofAll` of each kind. When `ofAll` is used up, a server may still store `always`,
   * so that other servers cannot block it. Anything more is refused. Redis needs 180 MB (measured) for `ofAll` of each kind. In
   * a Redis of 256 MB, the rest is for alerts, settings, logs and taken orders.
   */
  /** Drafts of products that people are adding. */
  drafts: {
    ofPerson: { count: 5, bytes: 4 * mebibyte },
    ofServer: { count: 50, bytes: 8 * mebibyte },
    ofAll: { count: 20_000, bytes: 40 * mebibyte },
    always: { count: 3, bytes: 128 * 1024 },
  },
  /** Filters behind the buttons of lists: about 480 bytes each. */
  queries: {
    ...smallSessions,
    ofAll: { count: 100_000, bytes: 48 * mebibyte },
    always: { count: 50, bytes: 48 * 1024 },
  },
  /** Choices behind buttons, running exports and `/stats` readings, files that wait for **Create**: each has this budget. */
  sessions: {
    ...smallSessions,
    ofAll: { count: 20_000, bytes: 16 * mebibyte },
    always: { count: 10, bytes: 32 * 1024 },
  },
  /** One record for each row of a file that was sent to the store: about 450 bytes in Redis, less in the other storages. */
  importedRows: { ofServer: 5_000, ofAll: 50_000, always: 500 },
  /**
   * Who pressed Take, Done or Give back: one record for each order, of 150 bytes to 1 kB. Beyond the limit, the oldest records
   * of the people with the most records are deleted.
   */
  takes: { ofServer: 5_000 },
  /** How long (ms) data of a person or a store may block the event loop. `test/bench/event-loop.ts` checks this. */
  eventLoopMs: 50,
} as const;
