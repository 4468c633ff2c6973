// Makes the one file of the page: index.html with its script and its style inline, and a digest of all sources.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const OUTPUT = "../src/arbora/server/page/index.html";
const SETTINGS = ["build.mjs", "package-lock.json", "package.json", "tsconfig.json"];

// tests/unit/test_page.py computes the same: for each file its name, a zero byte, its bytes, a zero byte.
function digest() {
  const sources = readdirSync("src").map((name) => `src/${name}`);
  const hash = createHash("sha256");
  for (const name of [...SETTINGS, ...sources].sort()) {
    hash.update(name).update("\0").update(readFileSync(name)).update("\0");
  }
  return hash.digest("hex");
}

async function bundle(entry) {
  const made = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  return made.outputFiles[0].text.trim();
}

const [script, style] = await Promise.all([bundle("src/main.ts"), bundle("src/style.css")]);
if (/<\/(script|style)/i.test(script + style)) throw new Error("the bundle would end its own element");
const page = readFileSync("src/index.html", "utf8")
  .replace("<!-- digest -->", () => `<!-- Built from web/ by "npm run build"; sources: sha256 ${digest()} -->`)
  .replace("/* style */", () => style)
  .replace("/* script */", () => script);
writeFileSync(OUTPUT, page);
console.log(`${OUTPUT}: ${Buffer.byteLength(page)} bytes`);
