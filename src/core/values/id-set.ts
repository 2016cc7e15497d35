/** Bitmap for dense ids: a million need 125 KB. */
export class IdSet {
  #bits = new Uint8Array(1_024);

  has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  add(id: number): boolean {
    const at = id >>> 3;
    if (at >= this.#bits.length) this.#grow(at);
    const before = this.#bits[at] ?? 0;
    const after = before | (1 << (id & 7));
    this.#bits[at] = after;
    return after !== before;
  }

  #grow(at: number): void {
    const larger = new Uint8Array(Math.max(at + 1, 2 * this.#bits.length));
    larger.set(this.#bits);
    this.#bits = larger;
  }
}
