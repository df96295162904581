// What travels as JSON, without a server.
import assert from "node:assert/strict";
import test from "node:test";
import { BadValue, Client } from "../index.js";
import { parse, stringify } from "../lib/json.js";

const refused = (value, path) =>
  assert.throws(() => stringify({ args: [value] }), (why) => why instanceof BadValue && why.path === path); // prettier-ignore

test("a whole number beyond 2^53 is a BigInt, both ways, and no other one is", () => {
  const text = '{"a":[9007199254740993,-9223372036854775808,18446744073709551615,9007199254740991],"b":"9007199254740993"}';
  const value = { a: [9007199254740993n, -(2n ** 63n), 2n ** 64n - 1n, 9007199254740991], b: "9007199254740993" };
  assert.deepEqual(parse(text), value);
  assert.equal(stringify(value), text);
});

test("floating-point numbers of many digits and texts that look like numbers are left alone", () => {
  const text = '{"x":[0.12345678901234567,1.2345678901234567e30,"\\"12345678901234567890","\\\\"],"12345678901234567":1}';
  assert.deepEqual(parse(text), JSON.parse(text));
  assert.equal(stringify(parse(text)), JSON.stringify(JSON.parse(text)));
});

test("a whole number that may have been rounded is refused with its path", () => {
  refused(2 ** 53, "args[0]");
  refused({ a: [1, -(2 ** 60)] }, "args[0].a[1]");
  assert.equal(stringify([2 ** 53 - 1, 1e300]), "[9007199254740991,1e+300]");
});

test("what is no JSON is refused with its path", () => {
  refused(NaN, "args[0]");
  refused([Infinity], "args[0][0]");
  refused({ x: new Set([1]) }, "args[0].x");
  refused(() => 1, "args[0]");
  refused("\ud800", "args[0]");
  refused({ "\udc00": 1 }, "args[0]");
  refused(2n ** 64n, "args[0]");
  let deep = 1;
  for (let i = 0; i < 64; ++i) deep = [deep];
  assert.throws(() => stringify([deep]), BadValue);
});

test("an address that is none is refused", () => {
  for (const url of ["127.0.0.1:7070", "ftp://here", "http://", "unix:relative", "https://unix:relative", "http://here/path"])
    assert.throws(() => new Client(url), TypeError, url);
});
