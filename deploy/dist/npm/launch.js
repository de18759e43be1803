// Runs a program of the package for this platform in place of the launcher: what launch.sh
// leaves to Node.
"use strict";

const { accessSync, constants } = require("node:fs");
const { spawn } = require("node:child_process");
const { isatty } = require("node:tty");
const { name, version, optionalDependencies } = require("./package.json");

const platform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-gnu" : ""}`;
const platformPackage = `${name}-${platform}`;

/** What browse itself returns when a program beside it is missing. */
const PROGRAM_MISSING = 4;

function fail(message, hint) {
  process.stderr.write(`error: ${message}\nhint: ${hint}\n`);
  process.exit(PROGRAM_MISSING);
}

/** Why the package of this platform is not there, and what to do. */
function failWithoutPackage() {
  const source = "build it from source, or use a system with a package";
  if (!(platformPackage in optionalDependencies)) {
    const known = Object.keys(optionalDependencies).map((each) => each.slice(name.length + 1));
    fail(`browse has no package for ${platform}; there is one for ${known.join(", ")}`, source);
  }
  process.report.excludeNetwork = true;
  if (process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime) {
    fail("browse needs glibc, and this system has another C library", "use a Debian image such as node:24-slim, not Alpine");
  }
  const exact = `${platformPackage}@${version}`;
  fail(
    `the package ${exact} with the programs is not installed: optional dependencies were left out`,
    `npm install --include=optional ${name}@${version} (with -g if it is installed so), or add ${exact} to your dependencies`,
  );
}

/** The path of a program. */
function programPath(program) {
  let file;
  try {
    file = require.resolve(`${platformPackage}/bin/${program}`);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    failWithoutPackage();
  }
  try {
    accessSync(file, constants.X_OK);
  } catch (error) {
    fail(`${file} cannot be run: ${error.code}`, `install it again: npm install --force ${name}@${version}`);
  }
  return file;
}

/** Runs the program as a child, passes signals on and ends as it ends. */
function runAsChild(file, args) {
  const child = spawn(file, args, { stdio: "inherit" });
  child.on("error", (error) => fail(`${file} cannot be run: ${error.message}`, "install it again"));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
  // A terminal sends these two to the child as well.
  const sentByTerminal = isatty(0) || isatty(2) ? ["SIGINT", "SIGQUIT"] : [];
  for (const signal of signals) {
    process.on(signal, () => sentByTerminal.includes(signal) || child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Runs `program` with the arguments of this process. */
module.exports = function launch(program) {
  const file = programPath(program);
  const args = process.argv.slice(2);
  // Node 22.15 and 23.11 can become the program. A child costs memory and a second process, and
  // cannot be ended by SIGKILL to the launcher.
  if (process.execve) process.execve(file, [file, ...args], process.env);
  else runAsChild(file, args);
};
