/**
 * Where the daemon's socket may be; the places and their order are those of `guardd/paths.py`.
 */

import { lstatSync, statSync } from "node:fs";
import { homedir } from "node:os";

const SYSTEM_SOCKET = "/run/guardd/guardd.sock";
const ROOT = 0;

/**
 * Return the socket to connect to first, and those to try after it.
 *
 * A socket that somebody named is the only one: whoever names a daemon does not want another's answer. The
 * others are only returned if they belong to root or to this user, since `/tmp` is anybody's.
 *
 * @param {string | undefined} configured the plugin's `socketPath`
 * @param {Record<string, string | undefined>} environ
 * @param {number} uid
 * @returns {string[]} absolute paths; empty if every place was refused
 */
export function socketCandidates(configured, environ = process.env, uid = process.geteuid()) {
  const named = configured || environ.GUARDD_SOCKET;
  if (named) {
    return [expandHome(named, environ)];
  }
  const given = (environ.RUNTIME_DIRECTORY ?? "").split(":")[0];
  const own = environ.XDG_RUNTIME_DIR ?? "";
  const places = [
    ...(given ? [`${given}/guardd.sock`] : []),
    // The XDG specification says that a relative directory is to be ignored.
    ...(own.startsWith("/") ? [`${own}/guardd/guardd.sock`] : []),
    SYSTEM_SOCKET,
    `/tmp/guardd-${uid}/guardd.sock`,
  ];
  return [...new Set(places)].filter((place) => isTrusted(place, uid));
}

/** Whether the socket, and each of its directories under `/tmp`, is root's or the user's. */
function isTrusted(path, uid) {
  return [...directoriesUnderTmp(path), path].every((place) =>
    [lstatSync, statSync].every((look) => {
      // What does not exist is not distrusted: connecting fails by itself.
      const owner = ownerOf(place, look);
      return owner === undefined || owner === ROOT || owner === uid;
    }),
  );
}

function ownerOf(place, look) {
  try {
    return look(place).uid;
  } catch {
    return undefined;
  }
}

function directoriesUnderTmp(path) {
  const directories = [];
  let directory = path.slice(0, path.lastIndexOf("/"));
  while (directory.startsWith("/tmp/")) {
    directories.push(directory);
    directory = directory.slice(0, directory.lastIndexOf("/"));
  }
  return directories;
}

function expandHome(path, environ) {
  if (path === "~" || path.startsWith("~/")) {
    return (environ.HOME || homedir()) + path.slice(1);
  }
  return path;
}
