// Bundles the extension, the chat's page and, when asked for "tests", the tests.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const here = import.meta.dirname;
const common = { absWorkingDir: here, bundle: true, logLevel: "warning", target: "es2022", sourcemap: false, legalComments: "none" };

rmSync(`${here}/dist`, { recursive: true, force: true });
const extension = await build({
  ...common,
  metafile: true,
  entryPoints: { extension: "src/extension.ts" },
  outdir: "dist",
  platform: "node",
  format: "cjs",
  external: ["vscode"],
  // jsonc-parser's "main" loads its parts in a way that cannot be bundled.
  mainFields: ["module", "main"],
  minify: true,
  keepNames: true,
});
const page = await build({
  ...common,
  metafile: true,
  entryPoints: { webview: "src/webview/app.tsx" },
  outdir: "dist",
  platform: "browser",
  format: "iife",
  target: "chrome138",
  minify: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".ttf": "file" },
  assetNames: "[name]",
});

writeFileSync(`${here}/dist/NOTICE.txt`, notices([extension, page]));

if (process.argv.includes("tests")) {
  rmSync(`${here}/out`, { recursive: true, force: true });
  for (const suite of ["unit", "workbench"]) {
    await build({
      ...common,
      entryPoints: readdirSync(`${here}/test/${suite}`).filter((name) => name.endsWith(".test.ts")).map((name) => `test/${suite}/${name}`),
      outdir: `out/${suite}`,
      outbase: `test/${suite}`,
      platform: "node",
      format: "esm",
      outExtension: { ".js": ".mjs" },
      packages: "external",
      sourcemap: "inline",
    });
  }
}

/** The licences of all packages that the bundles hold parts of. */
function notices(results) {
  const inputs = results.flatMap((result) => Object.keys(result.metafile.inputs));
  const packages = new Set(inputs.flatMap((input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []));
  return [...packages].sort().map((dir) => {
    const { name, version, license } = JSON.parse(readFileSync(`${here}/${dir}/package.json`, "utf8"));
    const file = readdirSync(`${here}/${dir}`).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `License: ${license}` : readFileSync(`${here}/${dir}/${file}`, "utf8").trim();
    return `${name} ${version}\n\n${text}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}
