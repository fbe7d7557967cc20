/** Setting an entry makes it the newest. Beyond `most` entries, the oldest is removed. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  private readonly most: number;

  constructor(most: number) {
    super();
    this.most = most;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.size > this.most ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }
}
