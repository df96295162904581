// When a call that has failed is made again. Without I/O.

const firstPause = 50;
const longestPause = 2000;

export class Patience {
  constructor(length, safe) {
    this.end = performance.now() + length;
    this.safe = safe;
    this.pause = firstPause;
  }

  // Milliseconds to pause, or undefined when it is over. `sent`: the service may have read the request.
  afterFailure(sent) {
    return sent && !this.safe ? undefined : this.next();
  }

  // The service has answered with an error that is not the caller's.
  afterAnswer({ status, headers, text }) {
    const nothingWasDone = status === 429 && /"(busy|rate_limited)"/.test(text);
    if (!nothingWasDone && !(this.safe && [408, 502, 503, 504].includes(status))) return undefined;
    const seconds = headers["retry-after"];
    return this.next(/^[0-9]+$/.test(seconds ?? "") ? Number(seconds) * 1000 : undefined);
  }

  // An item of a batch could not be stored.
  afterItem() {
    return this.safe ? this.next() : undefined;
  }

  next(asked) {
    const pause = asked ?? this.pause * (0.5 + Math.random() / 2);
    this.pause = Math.min(this.pause * 2, longestPause);
    return performance.now() + pause < this.end ? pause : undefined;
  }
}

export const sleep = (length) => new Promise((resolve) => setTimeout(resolve, length));
