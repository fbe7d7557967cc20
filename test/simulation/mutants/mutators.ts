import ts from "typescript";

/** One small fault of a source: `after` replaces the text from `start` to `end` (UTF-16 units). */
export interface Mutant {
  readonly mutator: string;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

type Fault = Omit<Mutant, "before">;

/** For each comparison: the comparison with a moved boundary, and the opposite comparison. */
const comparisons: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
};
const logic: Readonly<Record<string, string>> = { "&&": "||", "||": "&&", "??": "&&" };
const arithmetic: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "+=": "-=",
  "-=": "+=",
  "++": "--",
  "--": "++",
};

const replaced = (mutator: string, node: ts.Node, after: string): Fault => ({
  mutator,
  start: node.getStart(),
  end: node.end,
  after,
});

const isLiteral = ({ kind }: ts.Node) => kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;
const isNot = (node: ts.Node): node is ts.PrefixUnaryExpression =>
  ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken;
const isComparison = (node: ts.Node) => ts.isBinaryExpression(node) && node.operatorToken.getText() in comparisons;

/** Whether the syntax of an expression shows that it is a boolean. */
function isBoolean(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isBoolean(node.expression);
  if (ts.isBinaryExpression(node)) {
    if (node.operatorToken.getText() in logic) return isBoolean(node.left) && isBoolean(node.right);
    return isComparison(node) || ["in", "instanceof"].includes(node.operatorToken.getText());
  }
  if (ts.isCallExpression(node))
    return /(?:^|\.)(?:is|has|may|was)[A-Z]\w*$|\.(?:has|some|every|includes)$/.test(node.expression.getText());
  return isNot(node);
}

/** Whether a node calls the log or a metric. Such a call has no effect on what people see. */
const isTold = (node: ts.Node): boolean =>
  ts.isCallExpression(node) && /\blog\.\w+$|\bmetrics\b/.test(node.expression.getText());

function callOf(statement: ts.Node): ts.CallExpression | undefined {
  if (!ts.isExpressionStatement(statement)) return undefined;
  const { expression } = statement;
  const inner =
    ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) ? expression.expression : expression;
  return ts.isCallExpression(inner) && inner.expression.kind !== ts.SyntaxKind.SuperKeyword ? inner : undefined;
}

const isText = (node: ts.Expression): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right)));

function ofBinary(node: ts.BinaryExpression): Fault[] {
  const { left, operatorToken, right } = node;
  const operator = operatorToken.getText();
  const after = logic[operator];
  if (after !== undefined) {
    // The syntax requires parentheses if `??` stands beside `&&` or `||`.
    const alone = (side: ts.Expression) => (ts.isBinaryExpression(side) ? `(${side.getText()})` : side.getText());
    return [replaced("logic", node, `(${alone(left)} ${after} ${alone(right)})`)];
  }
  const opposite = arithmetic[operator];
  if (opposite !== undefined) return isText(node) ? [] : [replaced("arithmetic", operatorToken, opposite)];
  return (comparisons[operator] ?? []).map((other) => replaced("comparison", operatorToken, other));
}

function ofUnary(node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): Fault[] {
  const { operand } = node;
  if (isNot(node)) return [replaced("not dropped", node, operand.getText())];
  const operator = ts.tokenToString(node.operator) ?? "";
  const opposite = operator.length === 2 ? arithmetic[operator] : undefined;
  if (opposite === undefined) return [];
  const after = ts.isPrefixUnaryExpression(node) ? opposite + operand.getText() : operand.getText() + opposite;
  return [replaced("arithmetic", node, after)];
}

/** Returns the condition of an `if`, a loop or a `?:`. */
function conditionOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) return node.expression;
  return ts.isForStatement(node) || ts.isConditionalExpression(node) ? node.condition : undefined;
}

function ofCondition(node: ts.Node): Fault[] {
  const condition = conditionOf(node);
  // Other mutators change literals, negations and comparisons.
  if (condition === undefined || isLiteral(condition) || isNot(condition) || isComparison(condition)) return [];
  return [replaced("condition negated", condition, `!(${condition.getText()})`)];
}

/** Whether a node is the statement of an `if`, an `else` or a loop. */
function isBranch(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isIfStatement(parent))
    return node === parent.thenStatement || (node === parent.elseStatement && !ts.isIfStatement(node));
  return ts.isIterationStatement(parent, false) && node === parent.statement;
}

function ofStatement(node: ts.Node): Fault[] {
  if (callOf(node) !== undefined) return [replaced("call dropped", node, ";")];
  const isBlock = ts.isBlock(node) && !ts.isConstructorDeclaration(node.parent);
  if (!isBlock && !isBranch(node)) return [];
  const [first, ...rest] = ts.isBlock(node) ? node.statements : [node];
  if (first === undefined || (rest.length === 0 && callOf(first) !== undefined)) return [];
  return [replaced("block emptied", node, "{}")];
}

function ofValue(node: ts.Node): Fault[] {
  if (ts.isReturnStatement(node) && node.expression !== undefined && isBoolean(node.expression))
    return [replaced("return dropped", node, "return;")];
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body) && isBoolean(node.body))
    return [replaced("return dropped", node.body, "undefined")];
  if (!isLiteral(node)) return [];
  return [replaced("boolean", node, String(node.kind === ts.SyntaxKind.FalseKeyword))];
}

function ofSpread(node: ts.Node): Fault[] {
  const { parent } = node;
  const isArray = ts.isSpreadElement(node) && ts.isArrayLiteralExpression(parent);
  const isObject = ts.isSpreadAssignment(node);
  if (!isArray && !isObject) return [];
  const all: readonly ts.Node[] = ts.isArrayLiteralExpression(parent)
    ? parent.elements
    : (parent as ts.ObjectLiteralExpression).properties;
  const index = all.indexOf(node);
  const [before, next] = [all[index - 1], all[index + 1]];
  // The range includes a comma, so that the rest is valid.
  const start = next === undefined && before !== undefined ? before.end : node.getStart();
  return [{ mutator: "spread dropped", start, end: next?.getStart() ?? node.end, after: "" }];
}

const isLeftOut = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  isTold(callOf(node) ?? node);

/**
 * Returns all small faults that a TypeScript source can be given, in their sequence. Texts, types, imports and calls of
 * the log stay unchanged.
 */
export function mutantsOf(source: string): Mutant[] {
  const file = ts.createSourceFile("source.ts", source, ts.ScriptTarget.ESNext, true);
  const found: Fault[] = [];
  const visit = (node: ts.Node): void => {
    if (isLeftOut(node)) return;
    if (ts.isBinaryExpression(node)) found.push(...ofBinary(node));
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) found.push(...ofUnary(node));
    found.push(...ofCondition(node), ...ofStatement(node), ...ofValue(node), ...ofSpread(node));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return found.map((fault) => ({ ...fault, before: source.slice(fault.start, fault.end) }));
}

export const mutated = (source: string, { start, end, after }: Mutant): string =>
  source.slice(0, start) + after + source.slice(end);
