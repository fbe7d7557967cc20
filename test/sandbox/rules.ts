/** What rules check of a request. */
interface Met {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  /** The requested page of a list. */
  readonly page?: number;
}

/** To which requests a rule applies, and to how many (`times`). Without `times`, it applies until it is removed. */
export interface Limits<Request> extends Partial<Pick<Met, "method" | "token" | "page">> {
  readonly path?: RegExp;
  readonly when?: (request: Request) => boolean;
  readonly times?: number;
}

const fits = <Request extends Met>({ path, when, ...rule }: Limits<Request>, request: Request): boolean =>
  (["method", "token", "page"] as const).every((key) => rule[key] === undefined || rule[key] === request[key]) &&
  (path === undefined || request.path.search(path) >= 0) &&
  (when?.(request) ?? true);

/** Earlier rules have priority. */
export function createRules<Request extends Met, Rule extends Limits<Request>>() {
  const rules = new Map<Rule, number>();
  return {
    add(rule: Rule): () => void {
      // A copy, so the same rule can be added twice.
      const own = { ...rule };
      rules.set(own, rule.times ?? Number.POSITIVE_INFINITY);
      return () => void rules.delete(own);
    },
    take(request: Request): Rule | undefined {
      const [rule, left] = [...rules].find(([one]) => fits(one, request)) ?? [];
      if (rule === undefined || left === undefined) return undefined;
      if (left <= 1) rules.delete(rule);
      else rules.set(rule, left - 1);
      return rule;
    },
  };
}
