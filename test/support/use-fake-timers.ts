import { afterEach, beforeEach, vi } from "vitest";

/** Time stands still in each test, and goes on only where the test lets it. */
export function useFakeTimers(options?: Parameters<typeof vi.useFakeTimers>[0]): void {
  beforeEach(() => void vi.useFakeTimers(options));
  afterEach(() => void vi.useRealTimers());
}
