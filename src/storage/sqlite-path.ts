/** The file that a storage address names; undefined where it names a server, or memory. */
export const sqlitePath = (url: string): string | undefined => /^sqlite:\/\/(?!:memory:$)(.+)$/.exec(url)?.[1];
