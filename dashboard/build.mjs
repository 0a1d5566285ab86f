// Builds the pages into a directory of class path resources. Skips steps whose inputs have not changed.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const INSTALLED = join(root, 'node_modules/.installed');
const SETTINGS = ['package.json', 'package-lock.json', '.npmrc'];
const INPUTS = [...SETTINGS, 'index.html', 'vite.config.ts', 'tsconfig.json', 'build.mjs', 'src'];
const LIST = 'files.txt';

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).sort().flatMap((name) => filesIn(join(path, name)));
}

function stampOf(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const file of paths.map((path) => join(root, path)).flatMap(filesIn)) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

const isStamped = (file, stamp) => existsSync(file) && readFileSync(file, 'utf8') === stamp;

function run(command, ...args) {
  const windows = process.platform === 'win32';
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], shell: windows });
  if (error) console.error(`${command} can't be run: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

const tool = (name, ...args) => run(join(root, 'node_modules/.bin', name), ...args);

function install() {
  const stamp = stampOf(SETTINGS);
  if (isStamped(INSTALLED, stamp)) return;
  console.log('installing the dependencies of the dashboard (npm ci)');
  run('npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline');
  writeFileSync(INSTALLED, stamp);
}

function pages(directory) {
  const stampFile = join(root, 'target/pages.stamp');
  const stamp = `${stampOf(INPUTS)} ${directory}`;
  if (isStamped(stampFile, stamp) && existsSync(join(directory, LIST))) {
    console.log('the dashboard is up to date');
    return;
  }
  install();
  tool('tsc', '--noEmit');
  tool('vite', 'build', '--logLevel', 'warn');
  const site = join(root, 'target/site');
  const files = filesIn(site).map((file) => relative(site, file).replaceAll('\\', '/'));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const file of files) cpSync(join(site, file), join(directory, file));
  writeFileSync(join(directory, LIST), `${files.join('\n')}\n`);
  writeFileSync(stampFile, stamp);
  console.log(`built the dashboard: ${files.length} files`);
}

const [what, directory] = process.argv.slice(2);
if (what === 'pages' && directory) {
  pages(resolve(directory));
} else if (what === 'test') {
  install();
  tool('vitest', 'run');
} else {
  console.error('usage: build pages DIRECTORY | build test');
  process.exit(2);
}
