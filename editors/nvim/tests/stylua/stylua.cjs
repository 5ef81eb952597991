// Formats Lua by ../../stylua.toml: node stylua.cjs [--check] NODE_MODULES FILE...
// The npm package of StyLua has no program, only this library.
const fs = require('node:fs');
const path = require('node:path');

const args = process.argv.slice(2);
const check = args[0] === '--check';
if (check) args.shift();
const [modules, ...files] = args;
const { formatCode, Config, IndentType, LuaVersion, OutputVerification, QuoteStyle } = require(
  path.join(path.resolve(modules), '@johnnymorganz', 'stylua'),
);

function config() {
  const c = Config.new();
  const toml = fs.readFileSync(path.join(__dirname, '..', '..', 'stylua.toml'), 'utf8');
  for (const [, key, value] of toml.matchAll(/^(\w+) = "?(\w+)"?$/gm)) {
    if (key === 'indent_type') c.indent_type = IndentType[value];
    else if (key === 'quote_style') c.quote_style = QuoteStyle[value];
    else if (key === 'column_width' || key === 'indent_width') c[key] = Number(value);
    else throw new Error(`stylua.toml: ${key} is not known here`);
  }
  c.syntax = LuaVersion.LuaJIT;
  return c;
}

let bad = 0;
for (const file of files) {
  const code = fs.readFileSync(file, 'utf8');
  const formatted = formatCode(code, config(), undefined, OutputVerification.Full);
  if (formatted === code) continue;
  if (check) {
    bad++;
    const want = formatted.split('\n');
    const at = code.split('\n').findIndex((line, i) => line !== want[i]);
    console.log(`${file}:${at + 1} is not formatted; it should be: ${want[at]}`);
  } else {
    fs.writeFileSync(file, formatted);
  }
}
process.exitCode = bad > 0 ? 1 : 0;
