// One request and its answer, on connections that are kept open.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { gunzip } from "node:zlib";
import { promisify } from "node:util";

const unzipped = promisify(gunzip);

// "http://host:port", "https://host", "unix:/path", "https://unix:/path"
export function addressOf(url, tls = {}) {
  const local = /^(https?:\/\/)?unix:(?:\/\/)?(.*)$/s.exec(url);
  if (local) {
    const [, before, socketPath] = local;
    if (!socketPath.startsWith("/")) throw new TypeError(`"${url}" names no unix socket: write unix:/path`);
    const host = "localhost";
    const secure = before === "https://";
    const where = { socketPath, host, ...(secure ? { servername: host, ...trusted(tls) } : {}) };
    return { scheme: secure ? https : http, where, host };
  }
  let parts;
  try {
    parts = new URL(url);
  } catch {
    parts = { protocol: "" };
  }
  if (!/^https?:$/.test(parts.protocol) || parts.pathname !== "/" || parts.search)
    throw new TypeError(`"${url}" is no address of a service: write http://host:port, https://host or unix:/path`);
  const secure = parts.protocol === "https:";
  return {
    scheme: secure ? https : http,
    where: {
      host: parts.hostname.replace(/^\[|\]$/g, ""),
      port: parts.port || (secure ? 443 : 80),
      ...(secure ? trusted(tls) : {}),
    },
    host: parts.host,
  };
}

// A file of authorities, or options of node:tls.
function trusted(tls) {
  return typeof tls === "string" ? { ca: readFileSync(tls) } : tls;
}

export class Connections {
  constructor(url, tls) {
    const { scheme, where, host } = addressOf(url, tls);
    this.scheme = scheme;
    this.where = where;
    this.host = host;
    this.agent = new scheme.Agent({ keepAlive: true, noDelay: true });
  }

  close() {
    this.agent.destroy();
  }

  // {status, headers, text}. Rejects when there is no whole answer within so many milliseconds; the error's `sent` tells
  // whether the service may have read the request, `stale` whether the connection was one that it may have closed before.
  exchange({ method, target, headers, body, within, line }) {
    return new Promise((resolve, reject) => {
      const request = this.scheme.request({ ...this.where, agent: this.agent, method, path: target, headers });
      let sent = false;
      const fail = (why) => {
        clearTimeout(timer);
        if (line) line.request = undefined;
        reject(Object.assign(why, { sent, stale: request.reusedSocket }));
      };
      const timer = setTimeout(() => request.destroy(new Error(`no answer within ${within} ms`)), within);
      request.on("socket", (socket) => {
        if (!socket.connecting) sent = true;
        else socket.once("connect", () => (sent = true));
      });
      request.on("error", fail);
      request.on("response", (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", fail);
        response.on("end", () => {
          clearTimeout(timer);
          if (line) line.request = undefined;
          const whole = Buffer.concat(parts);
          const packed = response.headers["content-encoding"] === "gzip";
          const done = (bytes) =>
            resolve({ status: response.statusCode, headers: response.headers, text: bytes.toString("utf8") });
          if (packed) unzipped(whole).then(done, fail);
          else done(whole);
        });
      });
      if (line) line.request = request;
      request.end(body);
    });
  }
}

// The connection of a call that is under way.
export class Line {
  request = undefined;

  // The service takes that for a client that has hung up; what it has sent still arrives.
  sayNoMore() {
    this.request?.socket?.end();
  }
}
