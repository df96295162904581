// What every page is made of: Preact under one name.
import { h, render, Fragment } from '../vendor/preact.js';
import htm from '../vendor/htm.js';

export { render, Fragment };
export { useState, useEffect, useRef, useMemo, useCallback } from '../vendor/hooks.js';
export const html = htm.bind(h);
