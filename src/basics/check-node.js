// In JavaScript, because an older Node cannot read TypeScript. Imported first by src/start.js and the scripts of package.json.
const oldest = 24;
if (Number.parseInt(process.versions.node, 10) < oldest) {
  console.error(
    `Shopbell needs Node.js ${oldest} or later, and this is ${process.versions.node}. "npm ci" (without --omit=dev) brings the right one, and "npm start" uses it.`,
  );
  process.exit(1);
}
