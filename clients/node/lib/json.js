// JSON in which no number is rounded. A whole number that a Number does not hold exactly is a BigInt, both ways; where a Number
// may already have been rounded it is refused. JSON.parse and JSON.stringify do the work: such numbers pass through them as
// strings with a mark that is made up anew in each process.
import { randomUUID } from "node:crypto";
import { BadValue } from "./errors.js";

const mark = `errand-${randomUUID()}:`;
const marked = new RegExp(`"${mark}(-?[0-9]+)"`, "g");
const deepest = 64;
const least = -(2n ** 63n);
const most = 2n ** 64n - 1n;

// Strings, which are passed over, and numbers.
const tokens = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

export function parse(text) {
  if (!/[0-9]{16}/.test(text)) return JSON.parse(text);
  let found = false;
  const passed = text.replace(tokens, (token) => {
    if (!/^-?[0-9]+$/.test(token) || Number.isSafeInteger(Number(token))) return token;
    found = true;
    return `"${mark}${token}"`;
  });
  if (!found) return JSON.parse(text);
  return JSON.parse(passed, (_, value) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

// Throws BadValue with the path to what cannot be sent. `path` is that of the value.
export function stringify(value, path = "") {
  check(value, path, 0);
  const text = JSON.stringify(value, (_, one) => (typeof one === "bigint" ? `${mark}${one}` : one));
  return text.replace(marked, "$1");
}

function check(value, path, depth) {
  if (value !== null && typeof value === "object" && typeof value.toJSON === "function") value = value.toJSON();
  switch (typeof value) {
    case "boolean":
    case "undefined": // left out of an object, null in an array, as JSON.stringify does
      return;
    case "string":
      return checkText(value, path);
    case "bigint":
      if (value < least || value > most)
        throw new BadValue("an integer of more than 64 bits; send it as a string", path);
      return;
    case "number":
      return checkNumber(value, path);
    case "object":
      if (value === null) return;
      break;
    default:
      throw new BadValue(`a ${typeof value} is no JSON`, path);
  }
  if (depth === deepest) throw new BadValue(`nested deeper than ${deepest}`, path);
  if (Array.isArray(value)) return value.forEach((one, i) => check(one, `${path}[${i}]`, depth + 1));
  if (value instanceof Map || value instanceof Set || value instanceof Promise)
    throw new BadValue(`a ${value.constructor.name} is no JSON`, path);
  for (const [name, one] of Object.entries(value)) {
    checkText(name, path);
    check(one, path ? `${path}.${name}` : name, depth + 1);
  }
}

function checkNumber(value, path) {
  if (!Number.isFinite(value)) throw new BadValue("NaN and infinite numbers are no JSON", path);
  // Larger ones are written with an exponent, and are floating-point numbers to whoever reads them.
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
    throw new BadValue("a whole number beyond 2^53 that may have been rounded: send it as a BigInt", path);
}

function checkText(text, path) {
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text))
    throw new BadValue("half of a surrogate pair is no text", path);
}
