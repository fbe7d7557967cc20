const mebibyte = 1024 ** 2;
const smallSessions = {
  ofPerson: { count: 20, bytes: 64 * 1024 },
  ofServer: { count: 200, bytes: 512 * 1024 },
} as const;

/**
 * Every budget: how much one member, server or store may use of what all of them share, so that none of them can use it
 * up. It is metered where it is used.
 */
export const budgets = {
  /**
   * Commands, pressed buttons, chosen menus and submitted modals of one person in one server, before anything else is done
   * for them. A person pages and picks faster than one a second, and no faster than four. A person who catches up on a
   * day's orders may be quick for a while. What each request costs the store and the disk has bounds of its own.
   */
  interactions: { burst: 40, perSecond: 4 },
  /** Suggestions while one person types: Discord asks for them at about every second letter. */
  suggestions: { burst: 20, perSecond: 5 },
  /** Refusals of one server that are on their way to Discord at a time. Others are not sent. */
  refusals: { atOnce: 20 },
  /** Requests to Discord but for answers to interactions, of those that it allows a second: clocks differ. */
  discordRequests: { burst: 1 / 5, perSecond: 4 / 5 },
  /**
   * Answers of 401, 403 and 429 to the whole process. Discord bans an address that gets 10,000 of them within 10
   * minutes. Beyond `most`, what was refused last time is not asked again until there is room.
   */
  invalidRequests: { windowMs: 600_000, most: 1_000 },
  /**
   * Attempts that Discord refused, for example in a closed channel. A person who sets alerts up tries a channel or two, and
   * is refused no more than 10 times within 10 minutes. A server's people together are bounded as well, because they may be
   * many. Those with Manage Server have a bound of their own, so that the others cannot keep them from their own settings.
   */
  refusedAttempts: {
    ofPerson: { burst: 5, perSecond: 1 / 120 },
    ofServer: { burst: 20, perSecond: 1 / 60 },
    ofManagers: { burst: 40, perSecond: 1 / 30 },
  },
  /**
   * API tokens that the store did not accept. A token is copied wrong a few times, not ten; what tries more is guessing,
   * and a store that is asked too often with bad tokens may refuse the address of this process, and so every server. A person's
   * are counted in all servers together, so that one who has many of them cannot keep other people from connecting.
   */
  refusedTokens: { ofPerson: { burst: 10, perSecond: 1 / 60 }, ofProcess: { burst: 100, perSecond: 1 } },
  /** Requests to one server's store that its people cause: a rotation through 500 pages is not theirs to ask for. */
  storeRequestsOfPeople: { burst: 60, perSecond: 5 },
  /**
   * Exports under way. One holds 10 MiB of its file, and three times as much while that is sent. The exports of a server
   * leave a fifth of what its people may ask the store to everybody else, and half of the burst.
   */
  exports: { ofPerson: 1, ofServer: 2, ofProcess: 4, requests: { burst: 30, perSecond: 4 } },
  /** Figures under way: one holds a page and the sums of its days. */
  stats: { ofPerson: 1, ofServer: 2, ofProcess: 32 },
  /**
   * Imports under way, and how fast they ask the store: two creations a second leave more than half of what its people may
   * ask for to everybody else.
   */
  imports: { ofPerson: 1, ofServer: 1, ofProcess: 4, requests: { burst: 4, perSecond: 2 } },
  /**
   * Files that are read and understood at a time, for a preview or on its Create. One takes some 13 MB of memory while it is
   * parsed, for a tenth of a second: 256 MB have room for two.
   */
  importReadings: { ofPerson: 1, ofServer: 1, ofProcess: 2 },
  /**
   * What people have the bot keep, up to `importedRows`. Of a person and of a server the oldest goes; of all servers together
   * no more than `ofAll` is kept, as it is counted in Redis: 180 MB of 256 together, and the others are for alerts, settings, logs
   * and who took which order. Beyond that a server still has room for `always`, so that others close nothing for it.
   */
  /** Products that are being added. */
  drafts: {
    ofPerson: { count: 5, bytes: 4 * mebibyte },
    ofServer: { count: 50, bytes: 8 * mebibyte },
    ofAll: { count: 20_000, bytes: 40 * mebibyte },
    always: { count: 3, bytes: 128 * 1024 },
  },
  /** Queries behind the buttons of lists: some 480 bytes each. */
  queries: {
    ...smallSessions,
    ofAll: { count: 100_000, bytes: 48 * mebibyte },
    always: { count: 50, bytes: 48 * 1024 },
  },
  /** Choices behind buttons, exports under way, and uploaded files that wait for **Create**. Each kind has this budget of its own. */
  sessions: {
    ...smallSessions,
    ofAll: { count: 20_000, bytes: 16 * mebibyte },
    always: { count: 10, bytes: 32 * 1024 },
  },
  /** Rows of files that are known to be in the store, or were sent: 450 bytes each. The oldest of a server go. */
  importedRows: { ofServer: 5_000, ofAll: 50_000, always: 500 },
  /**
   * Orders of which it is known who pressed what: as many as alerts follow. 150 bytes each, 1 kB where they were given back again
   * and again. Of more the oldest go, of the person who has most.
   */
  takes: { ofServer: 5_000 },
  /** Milliseconds for which nothing that a person or a store sends keeps the event loop. */
  eventLoopMs: 50,
} as const;
