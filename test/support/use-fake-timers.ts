import { afterEach, beforeEach, vi } from "vitest";

/** Only the test moves the time on. */
export function useFakeTimers(options?: Parameters<typeof vi.useFakeTimers>[0]): void {
  beforeEach(() => void vi.useFakeTimers(options));
  afterEach(() => void vi.useRealTimers());
}
